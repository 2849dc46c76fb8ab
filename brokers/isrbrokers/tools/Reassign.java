import java.io.FileReader;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.TopicPartition;

/** Ask for an assignment of partition 0. Kafka's own tool also asks each replica for its directories, and one may stand still. */
public class Reassign {
    /** The client's properties, a topic, and brokers as 1,3. */
    public static void main(String[] arguments) throws Exception {
        var properties = new Properties();
        try (var file = new FileReader(arguments[0])) {
            properties.load(file);
        }
        var replicas = Arrays.stream(arguments[2].split(",")).map(Integer::valueOf).collect(Collectors.toList());
        var wanted = Optional.of(new NewPartitionReassignment(replicas));
        try (var admin = Admin.create(properties)) {
            admin.alterPartitionReassignments(Map.of(new TopicPartition(arguments[1], 0), wanted)).all().get();
        }
    }
}
