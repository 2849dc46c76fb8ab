"""An SVG drawing as PNG, by resvg."""

import lzma
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from isrcheck.errors import UsageError
from isrcheck.extras import need

FONTS = Path(__file__).with_name("fonts")
FAMILY = "DejaVu Sans"
SCALE = 2.0  # pixels per drawn one
MOST_PIXELS = 100_000_000  # drawn, 400 MB
_CARRIED = ((0x20, 0x58F), (0x1E00, 0x2BFF), (0xFFFD, 0xFFFD))  # the letters in FONTS, as its README has them
_SIZE = re.compile(r'<svg[^>]*?\swidth="([\d.]+)(pt)?"[^>]*?\sheight="([\d.]+)', re.DOTALL)
_POINT = 4 / 3  # pixels


def png(svg: str, scale: float = SCALE) -> bytes:
    """The drawing as a PNG file, `scale` times as wide and high as the SVG says, light and on white.

    Letters that the carried font lacks are taken from the machine's fonts. Raises UsageError if it would be too large.
    """
    resvg_py = need("resvg_py")
    _refuse_if_too_large(svg, scale)
    with font_files() as files:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg,
                zoom=scale,
                dpi=96,
                background="#ffffff",
                skip_system_fonts=all(map(_carried, svg)),
                font_files=[str(file) for file in files],
                font_family=FAMILY,
                sans_serif_family=FAMILY,
                style_sheet=f'text{{font-family:"{FAMILY}",sans-serif}}',
            )
        )


@contextmanager
def font_files() -> Iterator[list[Path]]:
    """The rasteriser's only fonts."""
    with TemporaryDirectory(prefix="isrcheck-fonts-") as folder:
        files = [Path(folder, file.stem) for file in sorted(FONTS.glob("*.ttf.xz"))]
        for file in files:
            file.write_bytes(lzma.decompress((FONTS / f"{file.name}.xz").read_bytes()))
        yield files


def _refuse_if_too_large(svg: str, scale: float) -> None:
    size = _SIZE.search(svg)
    assert size is not None, "every drawing says how large it is"
    unit = _POINT if size[2] else 1
    width, height = (round(float(side) * unit * scale) for side in (size[1], size[3]))
    if width * height > MOST_PIXELS:
        raise UsageError(
            f"the picture would be {width:,} by {height:,} pixels, and {MOST_PIXELS:,} in all are the most that a PNG "
            "may have: give a smaller --scale, or ask for svg."
        )


def _carried(letter: str) -> bool:
    code = ord(letter)
    return any(low <= code <= high for low, high in _CARRIED) or unicodedata.category(letter) == "Cc"
