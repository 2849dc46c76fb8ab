package isrbrokers.agent;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The time by which a leader judges its followers, in milliseconds. While GATES/clock exists, it is the number in that file;
 * otherwise it is the machine's. It never goes back.
 */
public final class Clock {
    private static long last = Long.MIN_VALUE;

    private Clock() {
    }

    public static synchronized long milliseconds(Object time) {
        long now = System.currentTimeMillis();
        Path held = Gates.folder.resolve("clock");
        if (Files.exists(held)) {
            try {
                now = Long.parseLong(Files.readString(held).trim());
            } catch (java.io.IOException | NumberFormatException error) {
                now = last;
            }
        }
        last = Math.max(last, now);
        return last;
    }
}
