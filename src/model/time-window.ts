// Lengths of time until now, such as `30m`, `1h`, `7d`, that overviews and streams take.

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const windowMsMax = 366 * 86_400_000;

/** Milliseconds; undefined when the text is no length of time up to 366d. */
export function parseWindowMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (units[unit ?? ''] ?? Number.NaN);
  return ms > 0 && ms <= windowMsMax ? ms : undefined;
}
