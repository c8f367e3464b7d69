// The log for a person at a terminal: time, level and sentence of each line, then its fields, then
// the stack of an error.

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [field: string]: unknown;
}

const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: '\u001b[32mINFO\u001b[39m',
  40: '\u001b[33mWARN\u001b[39m',
  50: '\u001b[31mERROR\u001b[39m',
  60: '\u001b[41mFATAL\u001b[49m',
};
/** Said otherwise, or of no use on a terminal. */
const hidden = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname', 'port']);

/** `line`: JSON as the log writes it. Any other line comes back as it is. */
export function readableLine(line: string): string {
  let parsed: LogLine;
  try {
    parsed = JSON.parse(line) as LogLine;
  } catch {
    return line;
  }
  const { level, time, msg = '', err } = parsed;
  const fields = Object.entries(parsed)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => `\n    ${name}: ${JSON.stringify(value)}`);
  const stack = (err?.stack ?? err?.message ?? '').trim();
  const trace = stack === '' ? '' : `\n${stack.replace(/^/gm, '    ')}`;
  const moment = new Date(time).toTimeString().slice(0, 8);
  const said = `[${moment}.${String(time % 1000).padStart(3, '0')}] ${levels[level] ?? level}: ${msg}`;
  return `${said}${fields.join('')}${trace}\n`;
}
