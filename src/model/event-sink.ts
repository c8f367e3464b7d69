// Where an event goes (semantics 4.12): the sink of an EVENT task, the type of a state change.
import { parseEventName } from './event-name.js';
import { providers } from './event-providers.js';

/** The name of the publisher: `conductor` alone stands for its own queue. */
export interface EventSource {
  readonly workflowName: string;
  readonly ref: string;
}

/** Of a state change or a status listener: a text without a colon is a queue of the workflow. */
export function parseStateSink(
  sink: string,
  source: EventSource,
): { queue: string } | { refused: string } {
  return parseSink(sink === '' || sink.includes(':') ? sink : `conductor:${sink}`, source);
}

/** The queue that a sink names, or why there is none. */
export function parseSink(
  sink: string,
  { workflowName, ref }: EventSource,
): { queue: string } | { refused: string } {
  if (sink === '') return { refused: 'No sink specified for the event' };
  if (sink === 'conductor') return { queue: `conductor:${workflowName}:${ref}` };
  if (sink.startsWith('conductor:')) {
    const name = sink.slice('conductor:'.length);
    if (name === '') return { refused: `Invalid sink: ${sink}` };
    return { queue: `conductor:${workflowName}:${name}` };
  }
  if (sink.startsWith('conductor')) {
    return {
      refused: `Invalid / Unsupported sink specified: ${sink} (conductor or conductor:<name>)`,
    };
  }
  const name = parseEventName(sink);
  if (name === undefined) return { refused: `Invalid / Unsupported sink specified: ${sink}` };
  if (providers.includes(name.kind)) return { queue: sink };
  return {
    refused:
      `The event provider ${name.kind} is not available on this server: it has ` +
      `${providers.join(', ')} (sink ${sink})`,
  };
}
