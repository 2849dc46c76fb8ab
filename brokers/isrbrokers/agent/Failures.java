package isrbrokers.agent;

import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.utility.JavaModule;

/** Whatever could not be changed in a class is an event, so that a silent agent is noticed. */
final class Failures extends AgentBuilder.Listener.Adapter {
    @Override
    public void onError(String type, ClassLoader loader, JavaModule module, boolean loaded, Throwable error) {
        Events.write("\"k\":\"agent-error\",\"in\":" + Fields.quoted(type) + ",\"error\":" + Fields.quoted(error));
    }
}
