package isrbrokers.agent;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Fields and methods without arguments, of any visibility, by name. */
final class Fields {
    private static final ConcurrentHashMap<String, Optional<AccessibleObject>> KNOWN = new ConcurrentHashMap<>();

    private Fields() {
    }

    /** What a name of an object gives; null if there is no such name or it throws. */
    static Object get(Object owner, String name) {
        if (owner == null) {
            return null;
        }
        Optional<AccessibleObject> member =
            KNOWN.computeIfAbsent(owner.getClass().getName() + "." + name, key -> find(owner.getClass(), name));
        try {
            if (member.isEmpty()) {
                return null;
            }
            return member.get() instanceof Method ? ((Method) member.get()).invoke(owner) : ((Field) member.get()).get(owner);
        } catch (ReflectiveOperationException | RuntimeException error) {
            return null;
        }
    }

    private static Optional<AccessibleObject> find(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getParameterCount() == 0 && method.getName().equals(name) && method.trySetAccessible()) {
                    return Optional.of(method);
                }
            }
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(name) && field.trySetAccessible()) {
                    return Optional.of(field);
                }
            }
        }
        return Optional.empty();
    }

    static String quoted(Object value) {
        StringBuilder text = new StringBuilder("\"");
        for (char c : String.valueOf(value).toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else {
                text.append(c < ' ' ? ' ' : c);
            }
        }
        return text.append('"').toString();
    }

    /** ,"name":value unless there is none. */
    static void put(StringBuilder line, String name, Object value) {
        if (value != null) {
            line.append(",\"").append(name).append("\":");
            line.append(value instanceof Number || value instanceof Boolean ? value : quoted(value));
        }
    }
}
