package kafka.server;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import kafka.cluster.DelayedOperations;
import kafka.cluster.Partition;
import kafka.server.HostedPartition;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
// without org.apache.kafka.common.compress.Compression: import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.IneligibleReplicaException;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.LeaderEndPoint;
import org.apache.kafka.server.ReplicaFetch;
// where kafka.server.AbstractFetcherThread$ReplicaFetch: import kafka.server.AbstractFetcherThread.ReplicaFetch;
import org.apache.kafka.server.ResultWithPartitions;
// where kafka.server.AbstractFetcherThread$ReplicaFetch: import kafka.server.AbstractFetcherThread.ResultWithPartitions;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.network.BrokerEndPoint;
import org.apache.kafka.server.purgatory.DelayedOperation;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.replica.Replica;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.server.util.timer.Timer;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LeaderHwChange;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
// where kafka.log.UnifiedLog: import kafka.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * What Kafka's own brokers do with one partition, in one process. A line in: a step. A line out: what all of them hold
 * after it. Partition, Replica, UnifiedLog, ReplicaFetcherThread and the purgatory are Kafka's; the clock, the metadata
 * cache, the way to the controller and the network are stubs.
 */
public final class BrokerHarness {
    private static final TopicPartition AT = new TopicPartition("t", 0);
    private static final TopicPartitionOperationKey KEY = new TopicPartitionOperationKey("t", 0);
    private static final Uuid TOPIC = new Uuid(7, 7);
    private static final long LAG_MS = 30_000;
    private static final long NOW = 1_000_000;
    private static final Time TIME = BrokerAdapter.stubOf(Time.class, (name, arguments) ->
        name.equals("nanoseconds") ? NOW * 1_000_000 : name.equals("sleep") ? null : (Object) NOW);
    private static final Scheduler SCHEDULER = BrokerAdapter.stubOf(Scheduler.class, (name, arguments) ->
        name.startsWith("schedule") ? BrokerAdapter.stub(java.util.concurrent.ScheduledFuture.class, (n, a) -> false) : null);
    private static final RequestLocal NO_CACHING = RequestLocal.noCaching();
    // where kafka.server.RequestLocal: private static final RequestLocal NO_CACHING = RequestLocal.NoCaching();
    private static final OffsetCheckpoints NO_CHECKPOINTS =
        BrokerAdapter.stubOf(OffsetCheckpoints.class, (name, arguments) -> Optional.empty());
    private static final DelayedOperationPurgatory<DelayedOperation> NOBODY = purgatory(); // waits

    private final File root;
    private final Broker[] brokers;
    private final LogConfig config;
    private final Set<String> acked = new TreeSet<>();
    private final BrokerTopicStats stats = BrokerAdapter.construct(BrokerTopicStats.class, "Optional", Optional.empty());

    private BrokerHarness(File root, int size, int minIsr) throws Exception {
        this.root = root;
        config = new LogConfig(Map.of(
            "min.insync.replicas", "" + minIsr, "segment.index.bytes", "4096", "segment.bytes", "1048576"));
        brokers = new Broker[size];
        for (int id = 0; id < size; id++) brokers[id] = new Broker(id);
    }

    private static DelayedOperationPurgatory<DelayedOperation> purgatory() {
        Timer timer = BrokerAdapter.stubOf(Timer.class, (name, arguments) ->
            name.equals("size") ? 0 : name.equals("advanceClock") ? false : (Object) null);
        return new DelayedOperationPurgatory<>("p", timer, 0, 1000, false, false);
    }

    /** A request with acks=all that waits, by the rule of DelayedProduce. */
    private final class Waiting extends DelayedOperation {
        private final Partition partition;
        private final String record;
        private final long end;
        private Errors error = Errors.NONE;

        Waiting(Partition partition, long offset) {
            super(Long.MAX_VALUE / 4);
            // where kafka.server.DelayedOperation: super(Long.MAX_VALUE / 4, scala.Option.empty());
            this.partition = partition;
            end = offset + 1;
            record = offset + "@" + partition.getLeaderEpoch();
        }

        @Override
        public boolean tryComplete() {
            scala.Tuple2<Object, Errors> reached = partition.checkEnoughReplicasReachOffset(end);
            error = reached._2();
            return (error != Errors.NONE || (Boolean) reached._1()) && forceComplete();
        }

        @Override
        public void onExpiration() { }

        @Override
        public void onComplete() {
            if (error == Errors.NONE) acked.add(record);
        }
    }

    /** One broker: its log outlives it, all else is in memory. */
    private final class Broker {
        private final int id;
        private final File folder;
        private final Map<TopicPartition, UnifiedLog> logs = new ConcurrentHashMap<>();
        private final Map<TopicPartition, Object> hosted = new ConcurrentHashMap<>();
        private final DelayedOperationPurgatory<DelayedOperation> produce = purgatory();
        private final Object logManager;
        private final ReplicaFetcherThread fetcher;
        private UnifiedLog log;
        private Partition partition; // null while it is down
        private long session;
        private LeaderAndIsr request;
        private CompletableFuture<LeaderAndIsr> answer;
        private int live; // whom its metadata takes for live, a mask
        private Broker leader; // who serves its next fetch
        private boolean loses; // the answer to it
        private boolean diverged;

        Broker(int id) throws Exception {
            this.id = id;
            folder = new File(root, id + "/t-0");
            Map<File, Object> none = Collections.emptyMap();
            logManager = BrokerAdapter.blank(BrokerAdapter.parameter(Partition.class, "LogManager"),
                "currentLogs", logs, "futureLogs", new ConcurrentHashMap<>(), "recoveryPointCheckpoints", none);
            Properties properties = new Properties();
            Map.of("process.roles", "broker", "node.id", "" + id, "controller.quorum.voters", "9@localhost:1",
                "controller.listener.names", "C", "listeners", "PLAINTEXT://localhost:2", "log.dirs", root.getPath(),
                "replica.fetch.backoff.ms", "0").forEach(properties::put);
            KafkaConfig config = KafkaConfig.fromProps(properties);
            ReplicaManager replicas = BrokerAdapter.blank(ReplicaManager.class, "allPartitions", hosted,
                "brokerTopicStats", stats, "delayedFetchPurgatory", NOBODY,
                "replicaAlterLogDirsManager", BrokerAdapter.construct(ReplicaAlterLogDirsManager.class,
                    "KafkaConfig", config, "BrokerTopicStats", stats));
            fetcher = BrokerAdapter.construct(ReplicaFetcherThread.class, "String", "f" + id,
                "LeaderEndPoint", (BrokerAdapter.Answer) this::serve, "KafkaConfig", config, "ReplicaManager", replicas,
                "FailedPartitions", new FailedPartitions(), "ReplicaQuota", (BrokerAdapter.Answer) (n, a) -> false,
                "Function0", (scala.Function0<Object>) BrokerAdapter::latestVersion);
            open(true);
            start();
        }

        private void open(boolean clean) throws Exception {
            folder.mkdirs();
            long recovered = clean && log != null ? log.logEndOffset() : 0L;
            log = (UnifiedLog) BrokerAdapter.open(UnifiedLog.class, folder, config, 0L, recovered, SCHEDULER, stats, TIME,
                3_600_000, BrokerAdapter.construct(ProducerStateManagerConfig.class, "int", 86_400_000), 600_000, new LogDirFailureChannel(10), clean,
                Optional.of(TOPIC));
            logs.put(AT, log);
        }

        private void start() throws Exception {
            forgetRequest();
            produce.cancelForKey(KEY);
            Object delayed = BrokerAdapter.construct(DelayedOperations.class,
                "Option", TOPIC, "TopicPartition", AT, "DelayedOperationPurgatory", NOBODY);
            BrokerAdapter.field(DelayedOperations.class, "produce").set(delayed, produce);
            scala.Function0<Object> epoch = () -> session;
            partition = BrokerAdapter.construct(Partition.class, "TopicPartition", AT, "long", LAG_MS, "int", id,
                "Function0", epoch, "Time", TIME, "DelayedOperations", delayed, "LogManager", logManager, "Option", TOPIC,
                "AlterPartitionListener", (BrokerAdapter.Answer) (n, a) -> null,
                "MetadataVersion", BrokerAdapter.latestVersion(),
                "MetadataCache", BrokerAdapter.cache(MetadataCache.class, this::metadata),
                "AlterPartitionManager", (BrokerAdapter.Answer) this::submit);
            partition.setLog(log, false);
            hosted.put(AT, BrokerAdapter.construct(Class.forName(HostedPartition.class.getName() + "$Online"),
                "Partition", partition, "Object", partition));
            fetcher.removePartitions(all());
        }

        private scala.collection.immutable.Set<TopicPartition> all() {
            return (scala.collection.immutable.Set<TopicPartition>) BrokerAdapter.toScala(List.of(AT));
        }

        private Object metadata(String name, Object[] arguments) throws Exception {
            if (name.equals("fenced") || name.equals("isBrokerFenced")) return (live >> (Integer) arguments[0] & 1) == 0;
            if (name.equals("isBrokerShuttingDown")) return false;
            if (name.equals("hasAliveBroker")) return true;
            if (name.equals("epoch") || name.equals("getAliveBrokerEpoch")) return heardEpoch((Integer) arguments[0]);
            throw new UnsupportedOperationException("MetadataCache." + name);
        }

        private Object heardEpoch(int broker) throws Exception {
            Object replica = BrokerAdapter.java(partition.getReplica(broker));
            Object epoch = replica == null ? null : BrokerAdapter.java(BrokerAdapter.get(state(replica), "brokerEpoch"));
            return epoch == null ? 0L : epoch;
        }

        private Object submit(String name, Object[] arguments) {
            request = (LeaderAndIsr) arguments[1];
            answer = new CompletableFuture<>();
            return answer;
        }

        private void forgetRequest() {
            request = null;
            answer = null;
        }

        // Metadata and the controller's answers, as ReplicaManager and AlterPartitionManager pass them on.

        void learn(int leader, int epoch, int isr, int version, int replicas) throws Exception {
            int[] none = {};
            PartitionRegistration state = BrokerAdapter.blank(PartitionRegistration.class, "replicas", BrokerAdapter.array(replicas),
                "isr", BrokerAdapter.array(isr), "removingReplicas", none, "addingReplicas", none, "elr", none,
                "lastKnownElr", none, "directories", BrokerAdapter.members(replicas).stream().map(each -> Uuid.ZERO_UUID)
                .toArray(Uuid[]::new), "leader", leader, "leaderEpoch", epoch, "partitionEpoch", version,
                "leaderRecoveryState", LeaderRecoveryState.RECOVERED);
            boolean isNew = become(leader == id ? "makeLeader" : "makeFollower", state);
            if (leader == id || isNew) fetcher.removePartitions(all());
            if (leader >= 0 && leader != id && isNew) {
                long offset = BrokerAdapter.java(log.latestEpoch()) == null ? log.highWatermark() : log.logEndOffset();
                Object from = BrokerAdapter.construct(InitialFetchState.class, "Option", TOPIC,
                    "BrokerEndPoint", new BrokerEndPoint(leader, "localhost", 2), "int", epoch, "long", offset);
                BrokerAdapter.call(fetcher, "addPartitions", Map.of(AT, from));
            }
            if (leader != id && isNew) produce.checkAndComplete(KEY);
            forgetRequest();
        }

        private boolean become(String method, PartitionRegistration state) throws Exception {
            int parameters = BrokerAdapter.method(Partition.class, method, 3).getParameterCount();
            if (parameters == 5)
                return (Boolean) BrokerAdapter.call(partition, method, state, false, NO_CHECKPOINTS, TOPIC, null);
            Object old = BrokerAdapter.call(state, "toLeaderAndIsrPartitionState", AT, false);
            Object[] given = {old, NO_CHECKPOINTS, TOPIC, null};
            return (Boolean) BrokerAdapter.call(partition, method, Arrays.copyOf(given, parameters));
        }

        void grant(int epoch, int isr, int version) {
            List<BrokerState> states = new ArrayList<>();
            for (int each : BrokerAdapter.members(isr)) states.add(new BrokerState().setBrokerId(each).setBrokerEpoch(-1));
            CompletableFuture<LeaderAndIsr> waits = answer;
            forgetRequest();
            LeaderRecoveryState recovered = LeaderRecoveryState.RECOVERED;
            waits.complete(new LeaderAndIsr(id, epoch, recovered, states, version));
            // where kafka.api.LeaderAndIsr: waits.complete(new LeaderAndIsr(id, epoch, recovered, BrokerAdapter.list(states), version));
        }

        void refuse() {
            CompletableFuture<LeaderAndIsr> waits = answer;
            forgetRequest();
            waits.completeExceptionally(new IneligibleReplicaException(""));
        }

        // A leader.

        void write(int acks) throws Exception {
            SimpleRecord record = new SimpleRecord(NOW, null, new byte[1]);
            MemoryRecords records = MemoryRecords.withRecords((byte) 2, Compression.NONE, record);
            // without org.apache.kafka.common.compress.Compression: var records = MemoryRecords.withRecords((byte) 2, CompressionType.NONE, record);
            LogAppendInfo info = (LogAppendInfo) BrokerAdapter.call(partition, "appendRecordsToLeader", records,
                AppendOrigin.CLIENT, acks, NO_CACHING);
            if (info.leaderHwChange() == LeaderHwChange.INCREASED)
                BrokerAdapter.call(partition, "tryCompleteDelayedRequests");
            if (acks == -1) BrokerAdapter.call(
                produce, "tryCompleteElseWatch", new Waiting(partition, info.lastOffset()), List.of(KEY));
        }

        void add(int follower) throws Exception {
            live = 1 << follower;
            BrokerAdapter.call(partition, "maybeExpandIsr", BrokerAdapter.java(partition.getReplica(follower)));
            live = 0;
        }

        /** Has everybody else just caught up and these not for long. Returns whether Kafka would keep who is at the log end. */
        boolean drop(int late) throws Exception {
            for (int other = 0; other < brokers.length; other++) {
                Object replica = BrokerAdapter.java(partition.getReplica(other));
                if (replica != null) BrokerAdapter.setCaughtUp(replica, (late >> other & 1) == 1 ? NOW - 2 * LAG_MS : NOW);
            }
            int slow = BrokerAdapter.mask(partition.getOutOfSyncReplicas(LAG_MS));
            if (slow == late || (slow | late & atEnd()) != late) {
                partition.maybeShrinkIsr();
                return false;
            }
            Object state = BrokerAdapter.get(partition, "partitionState");
            Object shrink = BrokerAdapter.call(partition, "prepareIsrShrink", state, BrokerAdapter.members(late));
            BrokerAdapter.call(partition, "submitAlterPartition", shrink);
            return true;
        }

        /** All have been late for long: before 3.6 a high watermark waits for whoever was not, even if it is fenced. */
        void seeNobodyCaughtUp() throws Exception {
            for (int other = 0; other < brokers.length; other++) {
                Object replica = BrokerAdapter.java(partition.getReplica(other));
                if (replica != null) BrokerAdapter.setCaughtUp(replica, NOW - 2 * LAG_MS);
            }
        }

        /** Followers that are known to be at the log end. */
        private int atEnd() throws Exception {
            int there = 0;
            for (int other = 0; other < brokers.length; other++) {
                Object replica = BrokerAdapter.java(partition.getReplica(other));
                if (replica != null && (Long) BrokerAdapter.get(state(replica), "logEndOffset") == log.logEndOffset())
                    there |= 1 << other;
            }
            return there;
        }

        // A follower.

        /** Returns whether it fetched twice: a follower first forgets an epoch without records, as which it led. */
        boolean fetch(Broker from, boolean lost) throws Exception {
            leader = from;
            long end = log.logEndOffset();
            ask(lost);
            if (!diverged || log.logEndOffset() != end) return false;
            if (lost) ask(false);
            ask(lost);
            return true;
        }

        private void ask(boolean lost) {
            loses = lost;
            diverged = false;
            fetcher.doWork();
        }

        /** The leader as the fetcher knows it. */
        private Object serve(String name, Object[] arguments) throws Throwable {
            switch (name) {
                case "isTruncationOnFetchSupported": return true;
                case "brokerEndPoint": return new BrokerEndPoint(id, "localhost", 2);
                case "buildFetch": return request(BrokerAdapter.javaMap(arguments[0]));
                case "fetch": return Map.of(AT, answer((FetchRequest.Builder) arguments[0]));
                default: throw new UnsupportedOperationException("LeaderEndPoint." + name);
            }
        }

        private Object request(Map<?, ?> states) throws Exception {
            Map<TopicPartition, FetchRequest.PartitionData> wanted = new HashMap<>();
            for (Map.Entry<?, ?> each : states.entrySet()) {
                Object state = each.getValue();
                if (!(Boolean) BrokerAdapter.get(state, "isReadyForFetch")) continue;
                wanted.put(AT, new FetchRequest.PartitionData(TOPIC, (Long) BrokerAdapter.get(state, "fetchOffset"),
                    log.logStartOffset(), 1, Optional.of((Integer) BrokerAdapter.get(state, "currentLeaderEpoch")),
                    Optional.ofNullable((Integer) BrokerAdapter.java(BrokerAdapter.get(state, "lastFetchedEpoch")))));
            }
            FetchRequest.Builder builder = FetchRequest.Builder.forReplica((short) 17, id, session, 0, 1, wanted);
            Object fetch = wanted.isEmpty() ? null : new ReplicaFetch(wanted, builder);
            return new ResultWithPartitions<>(Optional.ofNullable(fetch), Set.of());
            // where kafka.log.UnifiedLog: return new ResultWithPartitions<>(scala.Option.apply(fetch), all());
        }

        private FetchResponseData.PartitionData answer(FetchRequest.Builder builder) throws Exception {
            var data = new FetchResponseData.PartitionData().setPartitionIndex(0).setLogStartOffset(0);
            try {
                Object read = leader.read(this, builder.fetchData().get(AT));
                Object divergence = BrokerAdapter.java(BrokerAdapter.get(read, "divergingEpoch"));
                diverged = divergence != null;
                if (diverged) data.setDivergingEpoch((FetchResponseData.EpochEndOffset) divergence);
                data.setRecords((Records) BrokerAdapter.get(BrokerAdapter.get(read, "fetchedData"), "records"));
                data.setHighWatermark(leader.log.highWatermark()); // as in an answer that waited for records
            } catch (ApiException error) {
                data.setErrorCode(Errors.forException(error).code());
            }
            if (loses) throw new java.io.IOException("lost");
            return data;
        }

        private Object read(Broker follower, FetchRequest.PartitionData at) {
            FetchIsolation all = FetchIsolation.LOG_END;
            FetchParams how = new FetchParams(follower.id, follower.session, 0, 1, 1, all, Optional.empty());
            // where kafka.log.UnifiedLog: var how = new FetchParams((short) 17, follower.id, follower.session, 0, 1, 1, all, Optional.empty());
            return partition.fetchRecords(how, at, NOW, 1, true, true);
        }

        // Restarts.

        /** The log is closed and opened again; kept: how many of its records are on disk. */
        void goDown(boolean clean, long kept) throws Exception {
            long checkpoint = log.highWatermark();
            List<RecordBatch> batches = batches();
            log.close();
            if (kept < batches.size()) cut(batches, kept);
            open(clean);
            log.updateHighWatermark(checkpoint);
            partition = null;
            produce.cancelForKey(KEY);
            fetcher.removePartitions(all());
        }

        /** Take the end of a log away, whose batches are of one record. */
        private void cut(List<RecordBatch> batches, long kept) throws Exception {
            File[] segments = folder.listFiles((in, name) -> name.endsWith(".log"));
            Arrays.sort(segments);
            long end = batches.size();
            for (int i = segments.length - 1; i >= 0; i--) {
                long begin = Long.parseLong(segments[i].getName().replace(".log", ""));
                int bytes = 0;
                for (long at = begin; at < Math.min(end, kept); at++) bytes += batches.get((int) at).sizeInBytes();
                try (FileChannel file = FileChannel.open(segments[i].toPath(), StandardOpenOption.WRITE)) {
                    file.truncate(bytes);
                }
                if (begin > kept) BrokerAdapter.delete(segments[i]);
                end = begin;
            }
        }

        // What it holds.

        private List<RecordBatch> batches() throws Exception {
            List<RecordBatch> batches = new ArrayList<>();
            while (batches.size() < log.logEndOffset())
                for (RecordBatch each : log.read(batches.size(), 1 << 20, FetchIsolation.LOG_END, true).records.batches())
                    batches.add(each);
            return batches;
        }

        private Object state(Object replica) throws Exception {
            return BrokerAdapter.get(replica, "stateSnapshot");
        }

        /** Log;high watermark;leads,leader epoch,partition epoch;ISR,maximal ISR;asked for,based on;heard;may be added. */
        String held() throws Exception {
            StringBuilder held = new StringBuilder();
            for (RecordBatch each : batches())
                held.append(each.baseOffset() > 0 ? "." : "").append(each.partitionLeaderEpoch());
            held.append(';').append(log.highWatermark()).append(';');
            if (partition == null) return held.append("down").toString();
            boolean leads = partition.isLeader();
            Object state = BrokerAdapter.get(partition, "partitionState");
            held.append(leads ? 1 : 0).append(',').append(partition.getLeaderEpoch()).append(',')
                .append(partition.getPartitionEpoch()).append(';')
                .append(leads ? BrokerAdapter.mask(BrokerAdapter.get(state, "isr")) : 0).append(',')
                .append(leads ? BrokerAdapter.mask(BrokerAdapter.get(state, "maximalIsr")) : 0).append(';');
            boolean asks = (Boolean) BrokerAdapter.get(state, "isInflight") && request != null;
            held.append(asks ? BrokerAdapter.mask(request.isr()) + "," + request.partitionEpoch() : "-").append(';');
            int addable = 0;
            for (int other = 0; other < brokers.length; other++) {
                Object replica = leads ? BrokerAdapter.java(partition.getReplica(other)) : null;
                String heard = replica == null ? "-" : heard(state(replica));
                held.append(other > 0 ? "," : "").append(heard);
                if (Character.isDigit(heard.charAt(0)) && mayAdd(other, replica)) addable |= 1 << other;
            }
            return held.append(';').append(addable).toString();
        }

        /** Log end offset and broker epoch of a follower that fetched in this leader epoch, or ~ before; of two never ~. */
        private String heard(Object state) throws Exception {
            long end = (Long) BrokerAdapter.get(state, "logEndOffset");
            Object epoch = BrokerAdapter.java(BrokerAdapter.get(state, "brokerEpoch"));
            boolean before = (Long) BrokerAdapter.get(state, "lastFetchTimeMs") == 0;
            boolean never = end < 0 || epoch == null || before && brokers.length == 2;
            return never ? "-" : (before ? "~" : "") + end + "@" + epoch;
        }

        private boolean mayAdd(int follower, Object replica) throws Exception {
            live = 1 << follower;
            boolean may = (Boolean) BrokerAdapter.call(partition, "needsExpandIsr", replica);
            live = 0;
            return may;
        }
    }

    // Lines.

    /** Play what the model does not allow: it is to be refused, and to change nothing. */
    private String refuse(String step, int[] n) throws Exception {
        Broker it = brokers[n[0]];
        try {
            if (step.equals("write")) it.write(n[1]);
            else brokers[n[1]].read(it, new FetchRequest.PartitionData(TOPIC, it.log.logEndOffset(), 0, 1,
                Optional.of(it.partition.getLeaderEpoch()), Optional.empty()));
            return "";
        } catch (ApiException | InvocationTargetException error) {
            return "refused|";
        }
    }

    /** Play a step; returns a remark, or nothing. */
    private String play(String step, int[] n) throws Exception {
        Broker it = n.length == 0 ? null : brokers[n[0]];
        for (Broker each : brokers) if (each.partition != null) each.seeNobodyCaughtUp();
        switch (step) {
            case "reset" -> reset();
            case "learn" -> it.learn(n[1], n[2], n[3], n[4], n[5]);
            case "granted" -> it.grant(n[2], n[3], n[4]);
            case "register" -> {
                it.session = n[6];
                it.start();
                it.learn(n[1], n[2], n[3], n[4], n[5]);
            }
            case "refuse" -> it.refuse();
            case "write" -> it.write(n[1]);
            case "add" -> it.add(n[1]);
            case "drop" -> { return it.drop(n[1]) ? "wider|" : ""; }
            case "fetch", "lost" -> { return it.fetch(brokers[n[1]], step.equals("lost")) ? "again|" : ""; }
            case "stop" -> it.goDown(true, Long.MAX_VALUE);
            case "kill" -> it.goDown(false, Long.MAX_VALUE);
            case "power" -> it.goDown(false, n[1]);
            default -> throw new IllegalArgumentException(step);
        }
        return "";
    }

    private void reset() throws Exception {
        acked.clear();
        for (Broker each : brokers) {
            each.log.truncateTo(0);
            each.log.updateHighWatermark(0L);
            each.session = 0;
            each.start();
        }
    }

    private String reply(String[] words) {
        int[] numbers = new int[words.length - 1];
        for (int i = 0; i < numbers.length; i++) numbers[i] = Integer.parseInt(words[i + 1]);
        try {
            String name = words[0];
            boolean isRefused = name.startsWith("no-");
            String remark = isRefused ? refuse(name.substring("no-".length()), numbers) : play(name, numbers);
            StringBuilder held = new StringBuilder(remark);
            for (Broker each : brokers) held.append(each.held()).append('|');
            return held.append(String.join(",", acked)).toString();
        } catch (Throwable error) {
            Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
            if (System.getenv("ISRCHECK_STACKS") != null) cause.printStackTrace();
            return "X" + cause.getClass().getSimpleName() + ": " + String.valueOf(cause.getMessage()).replace('\n', ' ');
        }
    }

    private void close() {
        for (Broker each : brokers) each.log.close();
        BrokerAdapter.delete(root);
    }

    public static void main(String[] given) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(new java.io.BufferedOutputStream(System.out, 1 << 16));
        BrokerHarness harness = null;
        out.println("version= registering=");
        out.flush();
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (words[0].isEmpty()) out.flush();
            else if (words[0].equals("setting")) {
                if (harness != null) harness.close();
                File root = Files.createTempDirectory("isrcheck-brokers-").toFile();
                harness = new BrokerHarness(root, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            } else out.println(harness.reply(words));
        }
        out.flush();
    }
}
