// Opens the way that spans take, where the variables of OpenTelemetry ask for it. Recorded spans
// are sent when the node stops, after everything that could still record something.
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
import { systemClock, within } from '../std/clock.js';
import { asksForTraces } from '../telemetry/asked-traces.js';
import type { Logger } from '../telemetry/logger.js';
import type { Tracer } from '../telemetry/tracer.js';
import type { StopStack } from './stop-stack.js';
import { version } from './version.js';

/** How long a stop waits for a receiver that does not answer, ms. */
const stopMsMax = 3000;

export async function openTracer(
  plugins: LoadedPlugins,
  { nodeId, log, stops }: { nodeId: string; log: Pick<Logger, 'warn' | 'info'>; stops: StopStack },
): Promise<Tracer | undefined> {
  if (!asksForTraces(process.env)) return undefined;
  const open = await plugins.openTracing({
    ...{ environment: process.env, serverVersion: version, nodeId },
    warn: (message) => log.warn(message),
  });
  if (open === undefined) return undefined;
  const stopped = async (): Promise<void> => {
    await within(systemClock, open.stop(), stopMsMax);
  };
  stops.push('traces', stopped);
  return open.tracer;
}
