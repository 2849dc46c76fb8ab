package isrbrokers.agent;

import java.util.Map;
import java.util.Optional;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Faults to be found: each takes one rule away from a broker or a controller that is otherwise Kafka's own. */
public final class Bugs {
    private static final String[] PARTITION = {"kafka.cluster.Partition"};
    private static final String[] CONTROLLER = {"org.apache.kafka.controller.ReplicationControlManager"};
    private static final Map<String, Bug> ALL = Map.of(
        "hw-not-on-shrink", new Bug(PARTITION, SkipOutsideFetches.class, "maybeIncrementLeaderHW"),
        "old-partition-epoch", new Bug(CONTROLLER, OldPartitionEpoch.class, "validateAlterPartitionData"),
        "no-truncation", new Bug(PARTITION, AnyLastEpoch.class, "readRecords"),
        "any-epoch", new Bug(PARTITION, AnyEpoch.class, "checkCurrentLeaderEpoch"),
        "joins-at-once", new Bug(PARTITION, ReturnTrue.class, "isFollowerInSync"),
        "never-leaves", new Bug(PARTITION, ReturnFalse.class, "isFollowerOutOfSync"),
        "hw-of-isr-ignored", new Bug(PARTITION, HighWatermarkIsLogEnd.class, "maybeIncrementLeaderHW")
    );

    private Bugs() {
    }

    private static final class Bug {
        final String[] types;
        final Class<?> advice;
        final String method;

        Bug(String[] types, Class<?> advice, String method) {
            this.types = types;
            this.advice = advice;
            this.method = method;
        }
    }

    static AgentBuilder install(AgentBuilder builder, String name) {
        if (name == null) {
            return builder;
        }
        Bug bug = ALL.get(name);
        if (bug == null) {
            throw new IllegalArgumentException("there is no bug " + name + " among " + ALL.keySet());
        }
        if (!Agent.has(bug.types, bug.method)) {
            throw new IllegalArgumentException("the bug " + name + " finds no method " + bug.method + " in this release");
        }
        return Agent.visit(builder, bug.types, bug.advice, bug.method);
    }

    /** KAFKA-13091: only appends and fetches move the high watermark. */
    public static final class SkipOutsideFetches {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter() {
            return !Thread.currentThread().getName().contains("request-handler");
        }
    }

    /** The controller grants what is based on an old partition epoch (KIP-497). */
    public static final class OldPartitionEpoch {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object error) {
            if (String.valueOf(error).equals("INVALID_UPDATE_VERSION")) {
                error = Bugs.none(error);
            }
        }
    }

    /** A leader does not look where a follower's log parts from its own, and the follower keeps what it has. */
    public static final class AnyLastEpoch {
        @Advice.OnMethodEnter
        public static void enter(@Advice.Argument(value = 1, readOnly = false) Optional<Integer> lastFetchedEpoch) {
            lastFetchedEpoch = Optional.empty();
        }
    }

    /** A leader serves followers of any leader epoch. */
    public static final class AnyEpoch {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object error) {
            error = Bugs.none(error);
        }
    }

    /** A follower joins wherever it is (KAFKA-7128, and the first rule of all). */
    public static final class ReturnTrue {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false) boolean returned) {
            returned = true;
        }
    }

    /** Nobody is ever too slow. */
    public static final class ReturnFalse {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return(readOnly = false) boolean returned) {
            returned = false;
        }
    }

    /** The high watermark waits for nobody. */
    public static final class HighWatermarkIsLogEnd {
        @Advice.OnMethodEnter
        public static void enter(@Advice.Argument(0) Object log) {
            Bugs.raise(log);
        }
    }

    /** Errors.NONE of whichever class the error is. */
    public static Object none(Object error) {
        return error == null ? null : Enum.valueOf(((Enum<?>) error).getDeclaringClass(), "NONE");
    }

    /** Sets a log's high watermark to its end. */
    public static void raise(Object log) {
        try {
            long end = ((Number) Fields.get(log, "logEndOffset")).longValue();
            log.getClass().getMethod("updateHighWatermark", long.class).invoke(log, end);
        } catch (ReflectiveOperationException | RuntimeException error) {
            Events.write("\"k\":\"agent-error\",\"in\":\"Bugs.raise\",\"error\":" + Fields.quoted(error));
        }
    }
}
