package isrbrokers.agent;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * What is put into a broker: events of the calls that decide replication, gates before some of them, a clock that may be
 * held, and, if asked for, one of the faults of {@link Bugs}. Argument: folder=FOLDER[,bug=NAME].
 */
public final class Agent {
    private static final String[] PARTITION = {"kafka.cluster.Partition"};
    private static final String[] REPLICA = {"kafka.cluster.Replica", "org.apache.kafka.server.replica.Replica"};
    private static final String[] LOG = {
        "kafka.log.Log", "kafka.log.UnifiedLog", "org.apache.kafka.storage.internals.log.UnifiedLog"
    };
    private static final String[] FETCHER = {"kafka.server.AbstractFetcherThread"};
    private static final String[] LEADER_END_POINT = {"kafka.server.RemoteLeaderEndPoint"};
    private static final String[] PUBLISHER = {"kafka.server.metadata.BrokerMetadataPublisher"};
    private static final String[] LOADER = {"org.apache.kafka.image.loader.MetadataBatchLoader"};
    private static final String[] LIFE = {
        "kafka.server.BrokerLifecycleManager", "org.apache.kafka.server.BrokerLifecycleManager"
    };

    private static final List<String> HOOKS = new ArrayList<>(); // the gates at which somebody may come

    private Agent() {
    }

    public static void premain(String argument, Instrumentation instrumentation) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (String pair : argument.split(",")) {
            String[] words = pair.split("=", 2);
            options.put(words[0], words[1]);
        }
        Gates.open(options.get("folder"));
        Events.open(options.get("folder"));
        Snapshots.start();
        AgentBuilder builder = new AgentBuilder.Default(new ByteBuddy().ignore(none())) // Scala's lambdas are synthetic
            .disableClassFormatChanges()
            .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
            .with(new Failures());
        builder = visit(builder, PARTITION, Events.Exit.class, "updateFollowerFetchState", "maybeIncrementLeaderHW",
            "makeLeader", "makeFollower", "prepareIsrExpand", "prepareIsrShrink", "submitAlterPartition",
            "handleAlterPartitionUpdate", "handleAlterPartitionError");
        builder = visit(builder, REPLICA, Events.Exit.class, "updateFetchState", "updateFetchStateOrThrow",
            "resetReplicaState");
        builder = visit(builder, LOG, Events.Exit.class, "append", "updateHighWatermarkMetadata", "truncateTo",
            "truncateFullyAndStartAt", "assignEpochStartOffset", "maybeAssignEpochStartOffset");
        builder = visit(builder, FETCHER, Gates.Fetch.class, "processFetchRequest");
        builder = visit(builder, LEADER_END_POINT, Gates.Cut.class, "fetch");
        builder = visit(builder, PUBLISHER, Gates.Metadata.class, "onMetadataUpdate");
        builder = visit(builder, LOADER, Metadata.Act.class, "maybeFlushBatches");
        builder = visit(builder, LOADER, Metadata.Read.class, "loadBatch");
        builder = visit(builder, LIFE, Gates.Heartbeat.class, "sendBrokerHeartbeat");
        builder = visit(builder, PARTITION, Gates.Expire.class, "maybeShrinkIsr");
        hook("fetch", FETCHER, "processFetchRequest");
        hook("cut", LEADER_END_POINT, "fetch");
        hook("metadata", PUBLISHER, "onMetadataUpdate");
        hook("metadata.limit", LOADER, "loadBatch");
        hook("heartbeat", LIFE, "sendBrokerHeartbeat");
        hook("expire", PARTITION, "maybeShrinkIsr");
        Gates.tellHooks(HOOKS);
        builder = heldClock(builder, "kafka.cluster.Partition", "kafka.cluster.Replica",
            "org.apache.kafka.server.replica.Replica", "kafka.server.ReplicaManager");
        builder = Bugs.install(builder, options.get("bug"));
        builder.installOn(instrumentation);
    }

    /** A gate is a hook if this release has a method of that name: classes are loaded later, and may have moved. */
    private static void hook(String gate, String[] types, String method) {
        if (has(types, method)) {
            HOOKS.add(gate);
        }
    }

    /** Whether a class of these has a method of that name. No class is loaded by that. */
    static boolean has(String[] types, String method) {
        TypePool pool = TypePool.Default.ofSystemLoader();
        for (String type : types) {
            TypePool.Resolution described = pool.describe(type);
            if (described.isResolved() && !described.resolve().getDeclaredMethods().filter(wanted(method)).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Advice for methods of these names, however Scala has mangled them. */
    static AgentBuilder visit(AgentBuilder builder, String[] types, Class<?> advice, String... methods) {
        AsmVisitorWrapper wrapper = Advice.to(advice).on(wanted(methods));
        return builder.type(namedOneOf(types)).transform((made, type, loader, module, domain) -> made.visit(wrapper));
    }

    private static ElementMatcher<MethodDescription> wanted(String... methods) {
        return target -> {
            if (target.isAbstract() || target.isStatic() || target.isSynthetic()) {
                return false;
            }
            String name = target.getName();
            String last = name.substring(name.lastIndexOf('$') + 1);
            for (String method : methods) {
                if (last.equals(method) && !name.contains("anonfun") && !name.contains("default")) {
                    return true;
                }
            }
            return false;
        };
    }

    private static AgentBuilder heldClock(AgentBuilder builder, String... types) throws Exception {
        AsmVisitorWrapper wrapper = MemberSubstitution.relaxed()
            .method(named("milliseconds").and(isDeclaredBy(named("org.apache.kafka.common.utils.Time"))))
            .replaceWith(Clock.class.getMethod("milliseconds", Object.class))
            .on(not(isAbstract()));
        return builder.type(namedOneOf(types)).transform((made, type, loader, module, domain) -> made.visit(wrapper));
    }
}
