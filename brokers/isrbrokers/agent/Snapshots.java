package isrbrokers.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** GATES/state.json: what the broker holds of each partition. It is written whenever GATES/state.ask is found. */
final class Snapshots {
    private static final Map<String, Object> PARTITIONS = new ConcurrentHashMap<>();

    private Snapshots() {
    }

    static void know(Object name, Object partition) {
        if (name != null) {
            PARTITIONS.put(name.toString(), partition);
        }
    }

    static void start() {
        Thread thread = new Thread(Snapshots::answer, "isrbrokers-snapshots");
        thread.setDaemon(true);
        thread.start();
    }

    private static void answer() {
        Path ask = Gates.folder.resolve("state.ask");
        while (true) {
            try {
                Thread.sleep(5);
                if (Files.exists(ask)) {
                    Files.writeString(Gates.folder.resolve("state.json"), all());
                    Files.deleteIfExists(ask);
                }
            } catch (IOException | InterruptedException | RuntimeException error) {
                Events.write("\"k\":\"agent-error\",\"in\":\"Snapshots\",\"error\":" + Fields.quoted(error));
            }
        }
    }

    private static String all() {
        List<String> found = new ArrayList<>();
        PARTITIONS.forEach((name, partition) -> found.add(Fields.quoted(name) + ":{" + one(partition) + "}"));
        return "{" + String.join(",", found) + "}";
    }

    private static String one(Object partition) {
        Object log = value(Fields.get(partition, "log"));
        Object state = Fields.get(partition, "partitionState");
        StringBuilder line = new StringBuilder("\"leads\":" + Fields.get(partition, "isLeader"));
        Fields.put(line, "leader", value(Fields.get(partition, "leaderReplicaIdOpt")));
        Fields.put(line, "epoch", Fields.get(partition, "leaderEpoch"));
        Fields.put(line, "version", Fields.get(partition, "partitionEpoch"));
        Fields.put(line, "isr", Fields.get(state, "isr"));
        Fields.put(line, "maximal_isr", Fields.get(state, "maximalIsr"));
        Fields.put(line, "end", Fields.get(log, "logEndOffset"));
        Fields.put(line, "hw", Fields.get(log, "highWatermark"));
        Fields.put(line, "epochs", Fields.get(value(Fields.get(log, "leaderEpochCache")), "epochEntries"));
        line.append(",\"heard\":{").append(heard(Fields.get(partition, "remoteReplicasMap"))).append("}");
        return line.toString();
    }

    /** Offsets by follower; -1 is unknown. */
    private static String heard(Object replicas) {
        List<String> found = new ArrayList<>();
        Object map = replicas instanceof Map ? replicas : Fields.get(replicas, "kafka$utils$Pool$$pool"); // until 3.9
        if (map != null) {
            for (Object replica : ((Map<?, ?>) map).values()) {
                Object state = Fields.get(replica, "stateSnapshot");
                found.add("\"" + Fields.get(replica, "brokerId") + "\":" + Fields.get(state, "logEndOffset"));
            }
        }
        return String.join(",", found);
    }

    /** What is in an Option of Scala's. */
    private static Object value(Object option) {
        boolean isOption = option != null && option.getClass().getName().startsWith("scala.");
        return isOption ? Fields.get(option, "get") : option;
    }
}
