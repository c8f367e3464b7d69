// Counts and times requests for the metrics page. It stands on the path of every request, so it
// finds its counters by maps that it keeps and makes no text. Numbers of series are bounded: routes
// are those of the table, and a path or method that is unknown counts under one name.
import { joinLabels } from '../telemetry/metric-names.js';
import type { Metrics, Tally } from '../telemetry/metrics.js';
import type { RequestObserver } from './api.js';

/** Routes that wait for work on purpose. */
const longPoll = /^\/api\/tasks\/(?:poll\/|update-v2$)/;

interface Counted {
  readonly isLongPoll: boolean;
  readonly tallies: Map<number, Tally>;
}

export function requestObserver(metrics: Metrics): RequestObserver {
  const known = new Map<string, Map<string, Counted>>();
  const countedOf = (pattern: string, method: string): Counted => {
    let ofPattern = known.get(pattern);
    if (ofPattern === undefined) known.set(pattern, (ofPattern = new Map<string, Counted>()));
    let counted = ofPattern.get(method);
    if (counted === undefined) {
      counted = { isLongPoll: longPoll.test(pattern), tallies: new Map() };
      ofPattern.set(method, counted);
    }
    return counted;
  };
  return (method, pattern, status, milliseconds) => {
    const route = pattern ?? 'unknown';
    const verb = pattern === undefined ? 'any' : method;
    const { isLongPoll, tallies } = countedOf(route, verb);
    let tally = tallies.get(status);
    if (tally === undefined) {
      tally = metrics.tally('requests', joinLabels(route, verb, status));
      tallies.set(status, tally);
    }
    tally.add();
    metrics.observe(isLongPoll ? 'longPollSeconds' : 'requestSeconds', milliseconds / 1e3);
  };
}
