package org.apache.kafka.controller;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.MetadataVersion;

/** What differs between releases from 3.3 on: names and parameters, looked up when the harness starts. */
final class Adapter {
    static final Field ELR = fieldOf("elr"); // 3.7
    static final Field LAST_KNOWN = fieldOf("lastKnownElr"); // 3.7
    static final Field DIRECTORIES = fieldOf("directories"); // 3.7

    private Adapter() { }

    static MetadataVersion latestVersion() throws Exception {
        for (String name : List.of("latestProduction", "latest")) {
            Method method = method(MetadataVersion.class, name, 0);
            if (method != null) return (MetadataVersion) method.invoke(null);
        }
        return (MetadataVersion) MetadataVersion.class.getField("LATEST_PRODUCTION").get(null);
    }

    static FeatureControlManager features(MetadataVersion version, boolean elr) throws Exception {
        FeatureControlManager.Builder builder = new FeatureControlManager.Builder();
        Method known = method(QuorumFeatures.class, "defaultFeatureMap", 1);
        if (known == null) known = method(QuorumFeatures.class, "defaultSupportedFeatureMap", 1);
        for (Constructor<?> each : QuorumFeatures.class.getDeclaredConstructors())
            if (known != null && each.getParameterCount() == 3)
                builder.setQuorumFeatures((QuorumFeatures) each.newInstance(0, known.invoke(null, true), List.of(0)));
        boolean takesVersion = set(builder, "setMetadataVersion", version);
        FeatureControlManager features = builder.build();
        if (!takesVersion) features.replay(level("metadata.version", version.featureLevel()));
        if (elr && hasElr()) features.replay(level("eligible.leader.replicas.version", (short) 1));
        return features;
    }

    private static FeatureLevelRecord level(String feature, short level) {
        return new FeatureLevelRecord().setName(feature).setFeatureLevel(level);
    }

    static boolean hasElr() {
        return ELR != null && method(FeatureControlManager.class, "isElrFeatureEnabled", 0) != null;
    }

    static boolean hasBrokerEpochs() {
        return method(AlterPartitionRequestData.PartitionData.class, "setNewIsrWithEpochs", 1) != null;
    }

    static Method reporting() {
        return DIRECTORIES == null ? null : method(ReplicationControlManager.class, "handleAssignReplicasToDirs", 1);
    }

    static Method registering() {
        Method shutdown = method(ReplicationControlManager.class, "handleBrokerShutdown", 3);
        return shutdown != null ? shutdown : method(ReplicationControlManager.class, "handleBrokerUncleanShutdown", 2);
    }

    /** Whether replicas are in directories on record, which the method that reports them asks as well. */
    static boolean hasDirectories(MetadataVersion version) throws Exception {
        Method asks = method(MetadataVersion.class, "isDirectoryAssignmentSupported", 0);
        return DIRECTORIES != null && asks != null && (boolean) asks.invoke(version);
    }

    static String abilities(MetadataVersion version) throws Exception {
        List<String> able = new ArrayList<>(List.of("version=" + version));
        if (hasElr()) able.add("elr");
        if (hasBrokerEpochs()) able.add("broker-epochs");
        if (reporting() != null && hasDirectories(version)) able.add("reports");
        able.add("registering=" + (registering() == null ? "" : registering().getName()));
        return String.join(" ", able);
    }

    static Method method(Class<?> of, String name, int arguments) {
        for (Method each : of.getDeclaredMethods())
            if (each.getName().equals(name) && each.getParameterCount() == arguments && each.trySetAccessible())
                return each;
        return null;
    }

    static Field fieldOf(String name) {
        try {
            return PartitionRegistration.class.getField(name);
        } catch (NoSuchFieldException absent) {
            return null;
        }
    }

    /** Call a setter where there is such; null is a listener that does nothing. */
    static boolean set(Object builder, String name, Object value) throws Exception {
        Method setter = method(builder.getClass(), name, 1);
        if (setter == null) return false;
        Class<?> type = setter.getParameterTypes()[0];
        Object given = value != null ? value
            : Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> null);
        setter.invoke(builder, given);
        return true;
    }

    /** Call the shortest constructor that takes a request's header, with what fits its other parameters. */
    static <T> T build(Class<T> of, RequestHeaderData header, Object... more) throws Exception {
        Constructor<?> shortest = null;
        for (Constructor<?> each : of.getDeclaredConstructors())
            if (each.getParameterTypes()[0] == RequestHeaderData.class)
                if (shortest == null || each.getParameterCount() < shortest.getParameterCount()) shortest = each;
        shortest.setAccessible(true);
        Object[] arguments = new Object[shortest.getParameterCount()];
        arguments[0] = header;
        for (int i = 1; i < arguments.length; i++)
            for (Object each : more) if (shortest.getParameterTypes()[i].isInstance(each)) arguments[i] = each;
        return of.cast(shortest.newInstance(arguments));
    }

    /** A message of a request, or a part of one, of a class that not every release has. */
    static Object message(String name) throws Exception {
        return Class.forName("org.apache.kafka.common.message." + name).getConstructor().newInstance();
    }
}
