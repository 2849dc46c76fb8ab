package isrbrokers.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * Places where a broker waits to be let on. While GATES/NAME.closed exists, whoever comes there makes GATES/NAME.waiting and
 * waits for GATES/NAME.pass, which lets one on and is taken away. GATES/NAME.again has who
 * waits come anew: a fetch is made again, a task skipped.
 */
public final class Gates {
    static Path folder;

    private Gates() {
    }

    static void open(String broker) throws IOException {
        folder = Path.of(broker, "gates");
        Files.createDirectories(folder);
    }

    /** GATES/hooks has a line for each gate at which somebody may come: a gate without one stays shut for nobody. */
    static void tellHooks(List<String> names) throws IOException {
        Files.writeString(folder.resolve("hooks"), String.join("\n", names));
    }

    public static boolean isClosed(String name) {
        return Files.exists(folder.resolve(name + ".closed"));
    }

    /** Returns whether to go on: not if `self`, a thread of Kafka's, has been told to end, nor if it is to come again. */
    public static boolean wait(String name, Object self) {
        Path waiting = folder.resolve(name + ".waiting");
        Path pass = folder.resolve(name + ".pass");
        Path again = folder.resolve(name + ".again");
        try {
            while (isClosed(name)) {
                if (Boolean.FALSE.equals(Fields.get(self, "isRunning"))) {
                    return false;
                }
                boolean passes = Files.exists(pass);
                if (passes || Files.exists(again)) {
                    Files.deleteIfExists(waiting);
                    Files.deleteIfExists(passes ? pass : again);
                    return passes;
                }
                if (!Files.exists(waiting)) {
                    Files.writeString(waiting, "");
                }
                Thread.sleep(2);
            }
            Files.deleteIfExists(waiting);
        } catch (IOException | InterruptedException error) {
            Events.write("\"k\":\"agent-error\",\"in\":" + Fields.quoted(name) + ",\"error\":" + Fields.quoted(error));
        }
        return true;
    }

    public static boolean diverges(Object answer) {
        return String.valueOf(answer).matches("(?s).*divergingEpoch=EpochEndOffset\\(epoch=\\d.*");
    }

    /** Before that, a broker needs heartbeats to start at all. */
    public static void waitOnceStarted(Object lifecycle) {
        if (Boolean.TRUE.equals(Fields.get(lifecycle, "readyToUnfence"))) {
            wait("heartbeat", null);
        }
    }

    /** Before a follower's fetch is sent. The argument is the request, a map by partition before 2.4. */
    public static final class Fetch {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter(@Advice.This Object self, @Advice.Argument(0) Object request) {
            return !String.valueOf(request).contains("__cluster_metadata") && !Gates.wait("fetch", self);
        }
    }

    /** Before a follower handles an answer that says where its log departs from the leader's, whose number the thread has. */
    public static final class Cut {
        @Advice.OnMethodExit
        public static void exit(@Advice.Return Object answer) {
            Thread fetcher = Thread.currentThread();
            String name = "cut-" + fetcher.getName().replaceFirst(".*-", "");
            if (Gates.isClosed(name) && Gates.diverges(answer)) {
                Gates.wait(name, fetcher);
            }
        }
    }

    /** Before a broker acts on new metadata. */
    public static final class Metadata {
        @Advice.OnMethodEnter
        public static void enter() {
            Gates.wait("metadata", null);
        }
    }

    /** Before a broker that has started tells the controller that it is alive. */
    public static final class Heartbeat {
        @Advice.OnMethodEnter
        public static void enter(@Advice.This Object self) {
            Gates.waitOnceStarted(self);
        }
    }

    /** Before the isr-expiration task looks at a partition. */
    public static final class Expire {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter() {
            return !Gates.wait("expire", null);
        }
    }
}
