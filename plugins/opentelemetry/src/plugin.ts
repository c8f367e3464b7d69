// OpenTelemetry: the plug-in as the server loads it. The SDK is loaded when the variables OTEL_*
// ask for traces, and not before.
import { pluginContract, type Plugin } from '@downbeat/plugin';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'opentelemetry',
  tracing: {
    async open(facts) {
      const { openTracing } = await import('./open-tracing.js');
      return openTracing(facts);
    },
  },
};
