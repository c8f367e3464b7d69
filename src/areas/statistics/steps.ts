// Steps that a plot divides a window of time into.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Steps that a clock divides into, ms. */
const niceSteps = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7].map((days) => days * dayMs),
];
const stepsMax = 60;

/** Begins of steps at round times; the first one may be shorter. All in epoch ms. */
export function stepsOf(fromAt: number, untilAt: number): { stepMs: number; times: number[] } {
  const windowMs = untilAt - fromAt;
  const stepMs = niceSteps.find((step) => windowMs / step <= stepsMax) ?? 7 * dayMs;
  const times = [fromAt];
  for (let at = fromAt - (fromAt % stepMs) + stepMs; at < untilAt; at += stepMs) times.push(at);
  return { stepMs, times };
}
