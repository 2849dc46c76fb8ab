package isrbrokers.agent;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * agent.jsonl: a line a call, written as it ends. n counts in the process; ns0 and ns are System.nanoTime as it began and
 * ended, one clock for all processes of a machine; k is Class.method, th the thread, tp the partition.
 */
public final class Events {
    private static final int LONGEST = 800;
    private static BufferedWriter out;
    private static long count;

    private Events() {
    }

    static void open(String folder) throws IOException {
        out = Files.newBufferedWriter(
            Path.of(folder, "agent.jsonl"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        write("\"k\":\"start\",\"wall_ms\":" + System.currentTimeMillis() + ",\"pid\":" + ProcessHandle.current().pid());
    }

    static synchronized void write(String body) {
        try {
            out.write("{\"n\":" + count++ + ",\"ns\":" + System.nanoTime() + "," + body + "}\n");
            out.flush();
        } catch (IOException error) {
            count++; // a missing number tells that an event is
        }
    }

    /** What is put around a method. */
    public static final class Exit {
        @Advice.OnMethodEnter
        public static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        public static void exit(
            @Advice.Enter long began,
            @Advice.Origin("#t") String type,
            @Advice.Origin("#m") String method,
            @Advice.This Object self,
            @Advice.AllArguments Object[] arguments,
            @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object returned,
            @Advice.Thrown Throwable error
        ) {
            String name = type.substring(type.lastIndexOf('.') + 1) + "." + method.substring(method.lastIndexOf('$') + 1);
            Events.record(began, name, self, arguments, returned, error);
        }
    }

    public static void record(long began, String name, Object self, Object[] arguments, Object returned, Throwable error) {
        try {
            Object partition = Fields.get(self, "topicPartition");
            if (partition != null && partition.toString().startsWith("__")) {
                return;
            }
            if (name.startsWith("Partition.")) {
                Snapshots.know(partition, self);
            }
            StringBuilder line = new StringBuilder("\"ns0\":" + began + ",\"k\":" + Fields.quoted(name));
            Fields.put(line, "th", Thread.currentThread().getName());
            Fields.put(line, "tp", partition);
            Fields.put(line, "error", error);
            describe(line, name, self);
            if (!argumentsByName(line, name, arguments)) {
                for (int i = 0; i < arguments.length; i++) {
                    String text = String.valueOf(arguments[i]);
                    Fields.put(line, "a" + i, text.length() < LONGEST ? text : null);
                }
            }
            Fields.put(line, "ret", returned instanceof Boolean || returned == null ? returned : returned.toString());
            write(line.toString());
        } catch (RuntimeException failed) {
            write("\"k\":\"agent-error\",\"in\":" + Fields.quoted(name) + ",\"error\":" + Fields.quoted(failed));
        }
    }

    private static void describe(StringBuilder line, String name, Object self) {
        if (name.startsWith("Partition.")) {
            Object log = Fields.get(self, "localLogOrException");
            Fields.put(line, "leo", Fields.get(log, "logEndOffset"));
            Fields.put(line, "hw", Fields.get(log, "highWatermark"));
            Fields.put(line, "leader_epoch", Fields.get(self, "leaderEpoch"));
            Fields.put(line, "partition_epoch", Fields.get(self, "partitionEpoch"));
            Fields.put(line, "state", Fields.get(self, "partitionState"));
        } else if (name.startsWith("Replica.")) {
            Object known = Fields.get(self, "stateSnapshot");
            Object state = known == null ? self : known;
            Fields.put(line, "follower", Fields.get(self, "brokerId"));
            Fields.put(line, "known", Fields.get(state, "logEndOffset"));
            Fields.put(line, "last_caught_up_ms", Fields.get(state, "lastCaughtUpTimeMs"));
            Fields.put(line, "last_fetch_ms", Fields.get(state, "lastFetchTimeMs"));
            Fields.put(line, "last_fetch_leader_leo", Fields.get(state, "lastFetchLeaderLogEndOffset"));
        } else {
            Fields.put(line, "leo", Fields.get(self, "logEndOffset"));
            Fields.put(line, "hw", Fields.get(self, "highWatermark"));
            Fields.put(line, "latest_epoch", Fields.get(self, "latestEpoch"));
        }
    }

    /** Arguments that have names of their own; whether there were any. */
    private static boolean argumentsByName(StringBuilder line, String name, Object[] arguments) {
        switch (name) {
            case "UnifiedLog.append":
            case "Log.append":
                return true;
            case "UnifiedLog.updateHighWatermarkMetadata":
            case "Log.updateHighWatermarkMetadata":
                Fields.put(line, "to", Fields.get(arguments[0], "messageOffset"));
                return true;
            case "UnifiedLog.truncateTo":
            case "Log.truncateTo":
            case "UnifiedLog.truncateFullyAndStartAt":
            case "Log.truncateFullyAndStartAt":
                Fields.put(line, "to", arguments[0]);
                return true;
            default:
                return false;
        }
    }
}
