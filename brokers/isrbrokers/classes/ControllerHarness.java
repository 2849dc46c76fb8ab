package org.apache.kafka.controller;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * What Kafka's own controller does with one partition. A line in: what happens, and what is on record. A line out: how
 * often the controller was asked, and its different answers, over every order of the assignment.
 */
public final class ControllerHarness {
    private static final Uuid TOPIC = new Uuid(7, 7);
    private static final int LEADER_EPOCH = 5;
    private static final int PARTITION_EPOCH = 9;
    private static final long BROKER_EPOCH = 100;
    private static final int SOMEBODY_ELSE = 64; // stands for a member that no assignment has

    private final MetadataVersion version;
    private final ReplicationControlManager replication;
    private final ClusterControlManager cluster;
    private final ControllerRequestContext context;

    private ControllerHarness(boolean elr, int minIsr, boolean unclean) throws Exception {
        version = Adapter.latestVersion();
        FeatureControlManager features = Adapter.features(version, elr);
        ConfigDef topic = new ConfigDef()
            .define("min.insync.replicas", ConfigDef.Type.INT, 1, ConfigDef.Importance.LOW, "")
            .define("unclean.leader.election.enable", ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.LOW, "");
        ConfigurationControlManager.Builder configurations = new ConfigurationControlManager.Builder()
            .setKafkaConfigSchema(new KafkaConfigSchema(Map.of(ConfigResource.Type.TOPIC, topic), Map.of()));
        Adapter.set(configurations, "setFeatureControl", features);
        Adapter.set(configurations, "setStaticConfig", new HashMap<String, Object>());
        ConfigurationControlManager configuration = configurations.build();
        configuration.replay(config("min.insync.replicas", "" + minIsr));
        configuration.replay(config("unclean.leader.election.enable", "" + unclean));
        ClusterControlManager.Builder clusters = new ClusterControlManager.Builder().setFeatureControlManager(features);
        Adapter.set(clusters, "setBrokerShutdownHandler", null);
        Adapter.set(clusters, "setBrokerUncleanShutdownHandler", null);
        cluster = clusters.build();
        cluster.activate();
        ReplicationControlManager.Builder replications = new ReplicationControlManager.Builder()
            .setConfigurationControl(configuration).setClusterControl(cluster).setFeatureControl(features);
        Adapter.set(replications, "setEligibleLeaderReplicasEnabled", elr);
        Adapter.set(replications, "setDefaultMinIsr", minIsr);
        replication = replications.build();
        replication.replay(new TopicRecord().setName("t").setTopicId(TOPIC));
        short version = (short) (Adapter.hasBrokerEpochs() ? 3 : 2);
        RequestHeaderData header = new RequestHeaderData().setRequestApiKey((short) 56).setRequestApiVersion(version);
        context = Adapter.build(ControllerRequestContext.class, header, KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    // What is on record.

    private static ConfigRecord config(String name, String value) {
        return new ConfigRecord().setResourceType((byte) 2).setResourceName("t").setName(name).setValue(value);
    }

    private void register(Input in) throws Exception {
        for (int broker = 0; broker < in.brokers; broker++) {
            RegisterBrokerRecord record = new RegisterBrokerRecord().setBrokerId(broker).setBrokerEpoch(BROKER_EPOCH)
                .setIncarnationId(new Uuid(1, broker + 1)).setFenced((in.fenced >> broker & 1) == 1)
                .setInControlledShutdown((in.leaving >> broker & 1) == 1);
            Adapter.set(record, "setLogDirs", List.of(directory(broker, 0), directory(broker, 1)));
            cluster.replay(record, 0L);
        }
    }

    private static Uuid directory(int broker, int number) {
        return new Uuid(200 + number, broker + 1);
    }

    private PartitionRecord record(Input in, List<Integer> replicas) throws Exception {
        PartitionRecord record = new PartitionRecord().setTopicId(TOPIC).setPartitionId(0).setReplicas(replicas)
            .setIsr(members(in.isr, replicas)).setLeader(in.leader)
            .setLeaderEpoch(LEADER_EPOCH).setPartitionEpoch(PARTITION_EPOCH)
            .setAddingReplicas(in.adding < 0 ? List.of() : List.of(in.adding))
            .setRemovingReplicas(in.removing < 0 ? List.of() : List.of(in.removing));
        List<Integer> brokers = new ArrayList<>();
        for (int broker = 0; broker < in.brokers; broker++) brokers.add(broker);
        if (in.elr != 0) Adapter.set(record, "setEligibleLeaderReplicas", members(in.elr, brokers));
        if (in.lastKnown != 0) Adapter.set(record, "setLastKnownElr", members(in.lastKnown, brokers));
        if (Adapter.hasDirectories(version)) {
            List<Uuid> directories = new ArrayList<>();
            for (int replica : replicas) directories.add(directory(replica, 0));
            Adapter.set(record, "setDirectories", directories);
        }
        return record;
    }

    private static List<Integer> members(int mask, List<Integer> order) {
        List<Integer> members = new ArrayList<>();
        for (int broker : order) if ((mask >> broker & 1) == 1) members.add(broker);
        return members;
    }

    private static int mask(int[] members) {
        int mask = 0;
        for (int each : members) mask |= each >= 0 ? 1 << each : SOMEBODY_ELSE;
        return mask;
    }

    // What happens.

    private String answer(Input in, List<Integer> replicas, List<Integer> target) throws Exception {
        PartitionRecord record = record(in, replicas);
        replication.replay(record);
        List<ApiMessageAndVersion> records = new ArrayList<>();
        int error = happen(in, replicas, target, records);
        return error != 0 ? "E" + error : outcome(new PartitionRegistration(record), records);
    }

    /** Returns the code of an error, else 0. */
    private int happen(Input in, List<Integer> replicas, List<Integer> target, List<ApiMessageAndVersion> records)
            throws Exception {
        switch (in.event) {
            case "fence" -> replication.handleBrokerFenced(in.who, records);
            case "unfence" -> replication.handleBrokerUnfenced(in.who, BROKER_EPOCH, records);
            case "leave" -> replication.handleBrokerInControlledShutdown(in.who, BROKER_EPOCH, records);
            case "clean", "dirty" -> comeBack(in, records);
            case "elect" -> elect(records);
            case "report" -> report(in.who, records);
            default -> { return ask(in, replicas, target, records); }
        }
        return 0;
    }

    private int ask(Input in, List<Integer> replicas, List<Integer> target, List<ApiMessageAndVersion> records)
            throws Exception {
        return switch (in.event) {
            case "reassign" -> reassign(target, records);
            case "grant" -> alter(in.leader, PARTITION_EPOCH, LEADER_EPOCH, in, replicas, records);
            case "old" -> alter(in.leader, PARTITION_EPOCH - 1, LEADER_EPOCH, in, replicas, records);
            case "zombie" -> alter(in.who, PARTITION_EPOCH, LEADER_EPOCH - 1, in, replicas, records);
            case "late" -> alter(in.who, PARTITION_EPOCH - 1, LEADER_EPOCH, in, replicas, records);
            case "stale" -> alter(in.who, PARTITION_EPOCH - 1, LEADER_EPOCH - 1, in, replicas, records);
            case "other" -> alter(in.who, PARTITION_EPOCH, LEADER_EPOCH, in, replicas, records);
            default -> throw new IllegalArgumentException(in.event);
        };
    }

    private void comeBack(Input in, List<ApiMessageAndVersion> records) throws Exception {
        Method method = Adapter.registering();
        if (method == null) return;
        if (method.getParameterCount() == 3) method.invoke(replication, in.who, in.event.equals("clean"), records);
        else method.invoke(replication, in.who, records);
    }

    private void elect(List<ApiMessageAndVersion> records) {
        var topics = new ElectLeadersRequestData.TopicPartitionsCollection();
        topics.add(new ElectLeadersRequestData.TopicPartitions().setTopic("t").setPartitions(List.of(0)));
        var request = new ElectLeadersRequestData().setElectionType((byte) 0).setTopicPartitions(topics);
        records.addAll(replication.electLeaders(request).records());
    }

    private int reassign(List<Integer> target, List<ApiMessageAndVersion> records) {
        var partition =
            new AlterPartitionReassignmentsRequestData.ReassignablePartition().setPartitionIndex(0).setReplicas(target);
        var topic = new AlterPartitionReassignmentsRequestData.ReassignableTopic().setName("t")
            .setPartitions(List.of(partition));
        var request = new AlterPartitionReassignmentsRequestData().setTopics(List.of(topic));
        var result = replication.alterPartitionReassignments(request);
        records.addAll(result.records());
        return result.response().responses().get(0).partitions().get(0).errorCode();
    }

    private void report(int broker, List<ApiMessageAndVersion> records) throws Exception {
        Object partition = Adapter.message("AssignReplicasToDirsRequestData$PartitionData");
        Object topic = Adapter.message("AssignReplicasToDirsRequestData$TopicData");
        Object directory = Adapter.message("AssignReplicasToDirsRequestData$DirectoryData");
        Object request = Adapter.message("AssignReplicasToDirsRequestData");
        Adapter.set(partition, "setPartitionIndex", 0);
        Adapter.set(topic, "setTopicId", TOPIC);
        Adapter.set(topic, "setPartitions", List.of(partition));
        Adapter.set(directory, "setId", directory(broker, 1));
        Adapter.set(directory, "setTopics", List.of(topic));
        Adapter.set(request, "setBrokerId", broker);
        Adapter.set(request, "setBrokerEpoch", BROKER_EPOCH);
        Adapter.set(request, "setDirectories", List.of(directory));
        records.addAll(((ControllerResult<?>) Adapter.reporting().invoke(replication, request)).records());
    }

    /** Asks for an ISR, `in.argument`; in a request of the leader, `in.who` has a broker epoch that is over. */
    private int alter(
            int by, int partitionEpoch, int leaderEpoch, Input in, List<Integer> replicas,
            List<ApiMessageAndVersion> records) throws Exception {
        List<Integer> isr = members(in.argument, replicas);
        for (int broker = 0; broker < in.brokers; broker++)
            if ((in.argument >> broker & 1) == 1 && !isr.contains(broker)) isr.add(broker);
        var data = new AlterPartitionRequestData.PartitionData().setPartitionIndex(0)
            .setLeaderEpoch(leaderEpoch).setPartitionEpoch(partitionEpoch);
        boolean given = Adapter.set(data, "setNewIsrWithEpochs", states(isr, by == in.who ? -1 : in.who));
        if (!given) data.setNewIsr(isr);
        var topic = new AlterPartitionRequestData.TopicData().setPartitions(List.of(data));
        Adapter.set(topic, "setTopicId", TOPIC);
        var request =
            new AlterPartitionRequestData().setBrokerId(by).setBrokerEpoch(BROKER_EPOCH).setTopics(List.of(topic));
        var result = replication.alterPartition(context, request);
        records.addAll(result.records());
        int error = result.response().topics().get(0).partitions().get(0).errorCode();
        return result.records().isEmpty() ? error : 0; // who completes a reassignment may be told of a new leader
    }

    private static List<Object> states(List<Integer> isr, int stale) throws Exception {
        List<Object> states = new ArrayList<>();
        if (!Adapter.hasBrokerEpochs()) return states;
        for (int each : isr) {
            Object state = Adapter.message("AlterPartitionRequestData$BrokerState");
            Adapter.set(state, "setBrokerId", each);
            Adapter.set(state, "setBrokerEpoch", each == stale ? BROKER_EPOCH - 1 : BROKER_EPOCH);
            states.add(state);
        }
        return states;
    }

    /** Leader, leader epochs begun, ISR, ELR, last known, records, assignment, added, removed. */
    private static String outcome(PartitionRegistration before, List<ApiMessageAndVersion> records) throws Exception {
        PartitionRegistration now = before;
        int changes = 0;
        for (ApiMessageAndVersion each : records)
            if (each.message() instanceof PartitionChangeRecord) {
                now = now.merge((PartitionChangeRecord) each.message());
                changes++;
            }
        int elr = Adapter.ELR == null ? 0 : mask((int[]) Adapter.ELR.get(now));
        int[] last = Adapter.LAST_KNOWN == null ? new int[0] : (int[]) Adapter.LAST_KNOWN.get(now);
        int lastKnown = mask(IntStream.of(last).filter(each -> each != -1).toArray()); // 4.0 notes that nobody led
        int epochs = now.leaderEpoch - before.leaderEpoch;
        int[] numbers = {now.leader, epochs, mask(now.isr), elr, lastKnown, changes, mask(now.replicas),
            mask(now.addingReplicas), mask(now.removingReplicas)};
        return IntStream.of(numbers).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    // Lines.

    /** An event, and masks and numbers of brokers; -1 is nobody. */
    private record Input(
            String event, int brokers, int who, int argument, int leader, int isr, int elr, int lastKnown, int fenced,
            int leaving, int assigned, int adding, int removing) {
        static Input of(String[] words) {
            int[] n = new int[words.length];
            for (int i = 1; i < n.length; i++) n[i] = Integer.parseInt(words[i]);
            return new Input(words[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12]);
        }

        /** Replicas that stay, in every order, and then the one that goes: so Kafka puts them on record. */
        List<List<Integer>> assignments() {
            List<List<Integer>> all = new ArrayList<>();
            permute(removing < 0 ? assigned : assigned & ~(1 << removing), new ArrayList<>(), all);
            if (removing >= 0) for (List<Integer> each : all) each.add(removing);
            if (event.equals("elect")) all.removeIf(each -> each.get(0) != who); // the preferred replica is the first
            return all;
        }

        List<List<Integer>> targets(List<Integer> replicas) {
            if (!event.equals("reassign")) return List.of(replicas);
            List<List<Integer>> all = new ArrayList<>();
            int added = who < 0 ? 0 : 1 << who, removed = argument < 0 ? 0 : 1 << argument;
            permute((assigned | added) & ~removed, new ArrayList<>(), all);
            return all;
        }

        private static void permute(int rest, List<Integer> begun, List<List<Integer>> all) {
            if (rest == 0) all.add(new ArrayList<>(begun));
            for (int broker = 0; rest >> broker != 0; broker++)
                if ((rest >> broker & 1) == 1) {
                    begun.add(broker);
                    permute(rest & ~(1 << broker), begun, all);
                    begun.remove(begun.size() - 1);
                }
        }
    }

    private String answers(Input in) throws Exception {
        int calls = 0;
        Set<String> answers = new LinkedHashSet<>();
        register(in);
        for (List<Integer> replicas : in.assignments())
            for (List<Integer> target : in.targets(replicas)) {
                calls++;
                try {
                    answers.add(answer(in, replicas, target));
                } catch (Throwable error) {
                    Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
                    answers.add("X" + cause.getClass().getSimpleName());
                }
            }
        return calls + " " + String.join(" ", answers);
    }

    public static void main(String[] given) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16));
        ControllerHarness harness = new ControllerHarness(false, 1, false);
        out.println(Adapter.abilities(harness.version));
        out.flush();
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (words[0].isEmpty()) out.flush();
            else if (words[0].equals("setting"))
                harness = new ControllerHarness(words[1].equals("1"), Integer.parseInt(words[2]), words[3].equals("1"));
            else out.println(harness.answers(Input.of(words)));
        }
        out.flush();
    }
}
