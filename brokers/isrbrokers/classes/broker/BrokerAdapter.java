package kafka.server;

import java.io.File;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What differs between releases, by reflection: Scala's types or Java's, and constructors with more or fewer parameters. */
final class BrokerAdapter {
    private static final Map<String, Optional<Method>> METHODS = new HashMap<>();
    private static final Map<String, Optional<Field>> FIELDS = new HashMap<>();

    private BrokerAdapter() { }

    interface Answer {
        Object to(String method, Object[] arguments) throws Throwable;
    }

    /** A stub of an interface. */
    static Object stub(Class<?> type, Answer answer) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> {
            if (called.getName().equals("equals")) return self == arguments[0];
            if (called.getName().equals("hashCode")) return System.identityHashCode(self);
            return called.getName().equals("toString") ? "stub" : fit(called.getReturnType(), answer.to(called.getName(), arguments));
        });
    }

    static <T> T stubOf(Class<T> type, Answer answer) {
        return type.cast(stub(type, answer));
    }

    private static Map<String, Object> named(Object... pairs) {
        Map<String, Object> named = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) named.put((String) pairs[i], pairs[i + 1]);
        return named;
    }

    /** An object whose constructor never ran, with some of its fields: names and values in turn. */
    static <T> T blank(Class<T> type, Object... fields) throws Exception {
        Field theUnsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        T blank = type.cast(((sun.misc.Unsafe) theUnsafe.get(null)).allocateInstance(type));
        for (Map.Entry<String, Object> each : named(fields).entrySet()) {
            Field field = field(type, each.getKey());
            if (field != null) field.set(blank, fit(field.getType(), each.getValue()));
        }
        return blank;
    }

    /** The longest constructor, its parameters by their types' simple names; what is not given is null, 0 or false. */
    static <T> T construct(Class<T> type, Object... pairs) throws Exception {
        Map<String, Object> given = named(pairs);
        Constructor<?> longest = longest(type);
        Class<?>[] types = longest.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            Object value = given.get(types[i].getSimpleName());
            if (value instanceof Answer) value = stub(types[i], (Answer) value);
            arguments[i] = value != null ? fit(types[i], value) : types[i].isPrimitive() ? zero(types[i]) : null;
        }
        return type.cast(longest.newInstance(arguments));
    }

    /** A log of this type: before 4.1 by its companion, which also asks whether to keep the topic's id in a file. */
    static Object open(Class<?> type, Object... given) throws Exception {
        if (has(type, "create", given.length)) {
            Method create = method(type, "create", given.length);
            return create.invoke(null, given);
        }
        Object[] more = Arrays.copyOf(given, given.length + 1);
        more[given.length] = true;
        return call(Class.forName(type.getName() + "$").getField("MODULE$").get(null), "apply", more);
    }

    /** A metadata cache that knows of brokers what is answered: before 4.1 the real one, on an image of them. */
    static Object cache(Class<?> type, Answer answer) throws Exception {
        if (!type.getName().startsWith("kafka.server")) return answer;
        Object brokers = stub(Map.class, (name, asked) -> name.equals("get") ? registration((Integer) asked[0], answer) : null);
        Class<?> real = Class.forName("kafka.server.metadata.KRaftMetadataCache");
        Class<?> image = field(real, "_currentImage").getType();
        return blank(real, "_currentImage", construct(image, "ClusterImage", construct(parameter(image, "ClusterImage"), "Map", brokers)));
    }

    private static Object registration(int broker, Answer answer) throws Throwable {
        Object[] asked = {broker};
        return blank(Class.forName("org.apache.kafka.metadata.BrokerRegistration"), "id", broker, "inControlledShutdown", false,
            "epoch", answer.to("epoch", asked), "fenced", answer.to("fenced", asked));
    }

    /** The latest version of the metadata that is in production. */
    static Object latestVersion() {
        try {
            Class<?> versions = Class.forName("org.apache.kafka.server.common.MetadataVersion");
            return has(versions, "latestProduction", 0) ? method(versions, "latestProduction", 0).invoke(null)
                : method(versions, "latest", 0).invoke(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Scala's map, or Java's, as Java's. */
    static Map<?, ?> javaMap(Object map) {
        return map instanceof Map ? (Map<?, ?>) map : scala.jdk.javaapi.CollectionConverters.asJava((scala.collection.Map<?, ?>) map);
    }

    private static Constructor<?> longest(Class<?> of) {
        Constructor<?> longest = of.getDeclaredConstructors()[0];
        for (Constructor<?> each : of.getDeclaredConstructors())
            if (each.getParameterCount() > longest.getParameterCount()) longest = each;
        longest.setAccessible(true);
        return longest;
    }

    /** The type of a parameter of the longest constructor, by its simple name. */
    static Class<?> parameter(Class<?> of, String name) throws ClassNotFoundException {
        for (Class<?> each : longest(of).getParameterTypes()) if (each.getSimpleName().equals(name)) return each;
        throw new ClassNotFoundException(name);
    }

    private static Object zero(Class<?> type) {
        return Array.get(Array.newInstance(type, 1), 0);
    }

    /** Call the method of this name; what is given of too many parameters is left out, and defaults are Scala's. */
    static Object call(Object on, String name, Object... given) throws Exception {
        Method method = method(on.getClass(), name, given.length);
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
            arguments[i] = i < given.length ? fit(types[i], given[i])
                : method(on.getClass(), name + "$default$" + (i + 1), 0).invoke(on);
        return method.invoke(on, arguments);
    }

    /** The method of a name with the fewest parameters, and no fewer than these. */
    static Method method(Class<?> of, String name, int arguments) throws NoSuchMethodException {
        return known(of, name, arguments).orElseThrow(() -> new NoSuchMethodException(of.getName() + "." + name));
    }

    static boolean has(Class<?> of, String name, int arguments) {
        return known(of, name, arguments).isPresent();
    }

    private static Optional<Method> known(Class<?> of, String name, int arguments) {
        return METHODS.computeIfAbsent(of.getName() + "." + name + arguments, key -> find(of, name, arguments));
    }

    private static Optional<Method> find(Class<?> of, String name, int arguments) {
        Method known = null;
        for (Class<?> at = of; known == null && at != null; at = at.getSuperclass())
            for (Method each : at.getDeclaredMethods())
                if (each.getName().equals(name) && !each.isBridge() && each.getParameterCount() >= arguments)
                    if (known == null || each.getParameterCount() < known.getParameterCount()) known = each;
        if (known != null) known.setAccessible(true);
        return Optional.ofNullable(known);
    }

    static Field field(Class<?> of, String name) {
        return FIELDS.computeIfAbsent(of.getName() + "." + name, key -> find(of, name)).orElse(null);
    }

    private static Optional<Field> find(Class<?> of, String name) {
        for (Class<?> at = of; at != null; at = at.getSuperclass())
            for (Field each : at.getDeclaredFields())
                if (each.getName().equals(name) || each.getName().endsWith("$$" + name)) {
                    each.setAccessible(true);
                    return Optional.of(each);
                }
        return Optional.empty();
    }

    /** What an object has under a name: by a method, or in a field. */
    static Object get(Object of, String name) throws Exception {
        if (has(of.getClass(), name, 0)) return call(of, name);
        return field(of.getClass(), name).get(of);
    }

    /** A copy of a record, or of a case class, in which one field is another. */
    static Object with(Object of, String name, Object value) throws Exception {
        List<Object> values = new ArrayList<>();
        for (Field each : of.getClass().getDeclaredFields())
            if (!java.lang.reflect.Modifier.isStatic(each.getModifiers())) {
                each.setAccessible(true);
                values.add(each.getName().equals(name) ? value : each.get(of));
            }
        for (Constructor<?> each : of.getClass().getDeclaredConstructors())
            if (each.getParameterCount() == values.size()) return each.newInstance(values.toArray());
        throw new NoSuchMethodException(of.getClass().getName());
    }

    /** Set when a leader last saw a follower caught up, and when it heard of it, if it did: later it may count as caught up then. */
    @SuppressWarnings("unchecked")
    static void setCaughtUp(Object replica, long time) throws Exception {
        AtomicReference<Object> at = (AtomicReference<Object>) field(replica.getClass(), "replicaState").get(replica);
        Object state = with(at.get(), "lastCaughtUpTimeMs", time);
        at.set((Long) get(state, "lastFetchTimeMs") == 0 ? state : with(state, "lastFetchTimeMs", time));
    }

    // Options, maps and sets, in Scala's types or Java's.

    /** A value as a type wants it. */
    static Object fit(Class<?> type, Object value) {
        if (type == scala.Option.class && !(value instanceof scala.Option)) return scala.Option.apply(java(value));
        if (type == Optional.class && !(value instanceof Optional)) return Optional.ofNullable(java(value));
        if (scala.collection.Map.class.isAssignableFrom(type) && value instanceof Map) return toScala((Map<?, ?>) value);
        if (scala.collection.Set.class.isAssignableFrom(type) && value instanceof Collection)
            return toScala((Collection<?>) value);
        if (scala.collection.Seq.class.isAssignableFrom(type) && value instanceof List) return list((List<?>) value);
        if (type.getSimpleName().equals("Pool") && value instanceof Map) return pool(type, value);
        return value;
    }

    /** What is in an option, else null; anything else itself. */
    static Object java(Object value) {
        if (value instanceof Optional) return ((Optional<?>) value).orElse(null);
        if (value instanceof scala.Option) return ((scala.Option<?>) value).isEmpty() ? null : ((scala.Option<?>) value).get();
        return value;
    }

    private static Object pool(Class<?> type, Object map) {
        try {
            return blank(type, "pool", map);
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    static Object toScala(Map<?, ?> map) {
        scala.collection.mutable.Builder<scala.Tuple2<Object, Object>, scala.collection.immutable.Map<Object, Object>> all =
            scala.collection.immutable.Map$.MODULE$.newBuilder();
        for (Map.Entry<?, ?> each : map.entrySet()) all.addOne(new scala.Tuple2<>(each.getKey(), each.getValue()));
        return all.result();
    }

    static Object toScala(Collection<?> members) {
        scala.collection.mutable.Builder<Object, scala.collection.immutable.Set<Object>> all =
            scala.collection.immutable.Set$.MODULE$.newBuilder();
        for (Object each : members) all.addOne(each);
        return all.result();
    }

    static <T> scala.collection.immutable.List<T> list(List<T> members) {
        return scala.jdk.javaapi.CollectionConverters.asScala(members).toList();
    }

    static int mask(Object members) {
        int mask = 0;
        if (members instanceof Collection) for (Object each : (Collection<?>) members) mask |= 1 << (Integer) each;
        else
            for (scala.collection.Iterator<?> each = ((scala.collection.Iterable<?>) members).iterator(); each.hasNext(); )
                mask |= 1 << (Integer) each.next();
        return mask;
    }

    static List<Integer> members(int mask) {
        List<Integer> members = new ArrayList<>();
        for (int broker = 0; mask >> broker != 0; broker++) if ((mask >> broker & 1) == 1) members.add(broker);
        return members;
    }

    static int[] array(int mask) {
        return members(mask).stream().mapToInt(Integer::intValue).toArray();
    }

    static void delete(File file) {
        File[] inside = file.listFiles();
        if (inside != null) for (File each : inside) delete(each);
        file.delete();
    }
}
