package io.downbeat.junit;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives test methods a {@link DownbeatServer} as a parameter: one for all tests of the run. What a
 * test mocks is removed after it.
 *
 * <p>The configuration parameters {@code downbeat.clock} ({@code auto} or {@code manual}) and {@code
 * downbeat.seed} say how it is started.
 */
public final class DownbeatExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(DownbeatExtension.class);

    /** The server of the run; the store of the engine ends it. */
    private record Kept(DownbeatServer server)
            implements ExtensionContext.Store.CloseableResource {
        @Override
        public void close() {
            server.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DownbeatServer.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return storeOf(context)
                .getOrComputeIfAbsent(Kept.class, key -> new Kept(start(context)), Kept.class)
                .server();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Kept kept = storeOf(context).get(Kept.class, Kept.class);
        if (kept != null) kept.server().removeMocks();
    }

    private static ExtensionContext.Store storeOf(ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE);
    }

    private static DownbeatServer start(ExtensionContext context) {
        DownbeatServer.Options options = DownbeatServer.options();
        context.getConfigurationParameter("downbeat.clock").ifPresent(options::clock);
        context.getConfigurationParameter("downbeat.seed")
                .ifPresent(seed -> options.seed(Long.parseLong(seed)));
        return options.start();
    }
}
