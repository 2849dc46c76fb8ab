package isrbrokers.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.bytebuddy.asm.Advice;

/**
 * Places where a broker waits to be let on. While GATES/NAME.closed exists, whoever comes there makes GATES/NAME.waiting and
 * waits for GATES/NAME.pass, which lets one on and is taken away.
 */
public final class Gates {
    static Path folder;

    private Gates() {
    }

    static void open(String broker) throws IOException {
        folder = Path.of(broker, "gates");
        Files.createDirectories(folder);
    }

    public static void wait(String name) {
        Path closed = folder.resolve(name + ".closed");
        if (!Files.exists(closed)) {
            return;
        }
        Path waiting = folder.resolve(name + ".waiting");
        Path pass = folder.resolve(name + ".pass");
        try {
            Files.writeString(waiting, "");
            while (Files.exists(closed) && !Files.deleteIfExists(pass)) {
                Thread.sleep(2);
            }
            Files.deleteIfExists(waiting);
        } catch (IOException | InterruptedException error) {
            Events.write("\"k\":\"agent-error\",\"in\":" + Fields.quoted(name) + ",\"error\":" + Fields.quoted(error));
        }
    }

    /** Before a follower's fetch is sent. The argument is the request, a map by partition before 2.4. */
    public static final class Fetch {
        @Advice.OnMethodEnter
        public static void enter(@Advice.Argument(0) Object request) {
            if (!String.valueOf(request).contains("__cluster_metadata")) {
                Gates.wait("fetch");
            }
        }
    }

    /** Before a broker acts on new metadata. */
    public static final class Metadata {
        @Advice.OnMethodEnter
        public static void enter() {
            Gates.wait("metadata");
        }
    }

    /** Before the isr-expiration task looks at a partition. */
    public static final class Expire {
        @Advice.OnMethodEnter
        public static void enter() {
            Gates.wait("expire");
        }
    }
}
