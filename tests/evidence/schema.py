"""As much of JSON Schema as our schemas use; a word that is not known here is an error, not a pass."""

import re
from typing import Any

_TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
_IGNORED = {"$comment", "$defs"}


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether a value has the shape that a schema asks for; `root` holds what `$ref` points to."""
    return all(_fits(word, value, schema, root) for word in schema if word not in _IGNORED)


def _fits(word: str, value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    asked = schema[word]
    match word:
        case "$ref":
            return fits(value, root["$defs"][asked.removeprefix("#/$defs/")], root)
        case "anyOf":
            return any(fits(value, each, root) for each in asked)
        case "type":
            return isinstance(value, _TYPES[asked]) and (asked != "integer" or type(value) is int)
        case "required":
            return all(name in value for name in asked)
        case "items":
            return all(fits(each, asked, root) for each in value)
        case "minItems":
            return len(value) >= int(asked)
        case "maxItems":
            return len(value) <= int(asked)
        case "minimum":
            return bool(value >= asked)
        case "maximum":
            return bool(value <= asked)
        case "pattern":
            return re.search(asked, value) is not None
        case "properties":
            return all(fits(value[name], each, root) for name, each in asked.items() if name in value)
        case "patternProperties":
            return all(fits(value[n], each, root) for p, each in asked.items() for n in value if re.search(p, n))
        case "additionalProperties":
            return not [name for name in value if not _is_named(name, schema)]
    raise AssertionError(f"{word} is not understood")


def _is_named(name: str, schema: dict[str, Any]) -> bool:
    return name in schema.get("properties", {}) or any(re.search(p, name) for p in schema.get("patternProperties", {}))
