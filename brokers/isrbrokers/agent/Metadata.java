package isrbrokers.agent;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * How far a broker reads the metadata log. While GATES/metadata.limit exists, it reads up to the change of the partition
 * that leads to the partition epoch in that file, and acts on all that is new up to there as one change. There is one
 * partition, beside those of topics that begin with __.
 */
public final class Metadata {
    private static final String CREATED = "PartitionRecord";
    private static final String CHANGED = "PartitionChangeRecord";
    private static long epoch = -1; // of the partition, as far as the log was read
    private static boolean acted = true; // on all that was read

    private Metadata() {
    }

    /** The limit; the greatest number without one. */
    private static long limit() {
        Path file = Gates.folder.resolve("metadata.limit");
        try {
            return Files.exists(file) ? Long.parseLong(Files.readString(file).trim()) : Long.MAX_VALUE;
        } catch (IOException | NumberFormatException error) {
            return epoch;
        }
    }

    /** Before a batch of metadata is read. What was read before it is acted on first, if the batch has to wait. */
    public static void read(Object loader, Object batch, Object leader) {
        int changes = changes(Fields.get(batch, "records"));
        try {
            while (changes > 0 && epoch + changes > limit()) {
                if (!acted && !isBelowLimit()) {
                    act(loader, leader);
                }
                Thread.sleep(2);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        epoch += changes;
        acted = false;
    }

    private static int changes(Object records) {
        int found = 0;
        for (Object record : records instanceof Iterable ? (Iterable<?>) records : List.of()) {
            String type = Fields.get(record, "message").getClass().getSimpleName();
            found += type.equals(CREATED) || type.equals(CHANGED) ? 1 : 0;
        }
        return found;
    }

    /** As the loader does at the end of what it was given. */
    private static void act(Object loader, Object leader) {
        try {
            for (Method method : loader.getClass().getMethods()) {
                if (method.getName().equals("maybeFlushBatches")) {
                    method.setAccessible(true);
                    method.invoke(loader, method.getParameterCount() == 1 ? new Object[]{leader} : new Object[]{leader, true});
                }
            }
        } catch (ReflectiveOperationException | RuntimeException error) {
            Events.write("\"k\":\"agent-error\",\"in\":\"Metadata.act\",\"error\":" + Fields.quoted(error));
        }
        acted = true;
    }

    /** Whether the broker does not act yet on what was read. */
    public static boolean goesOn() {
        acted = !isBelowLimit();
        return !acted;
    }

    private static boolean isBelowLimit() {
        long limit = limit();
        return limit != Long.MAX_VALUE && epoch < limit;
    }

    /** Before a batch is read. */
    public static final class Read {
        @Advice.OnMethodEnter
        public static void enter(
            @Advice.This Object self, @Advice.Argument(0) Object batch, @Advice.Argument(1) Object leader
        ) {
            Metadata.read(self, batch, leader);
        }
    }

    /** Before a broker acts on what was read. */
    public static final class Act {
        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        public static boolean enter() {
            return Metadata.goesOn();
        }
    }
}
