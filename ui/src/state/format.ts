// Times, durations and sizes as people read them.

const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const day = { month: 'short', day: 'numeric' } as const;
const thisYear = new Intl.DateTimeFormat(undefined, { ...day, ...time, hourCycle: 'h23' });
const otherYear = new Intl.DateTimeFormat(undefined, {
  ...{ ...day, year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

/** Epoch ms or a date text, in the time zone of the browser; '' when unset. */
export function moment(at: number | string | undefined): string {
  if (at === undefined || at === 0 || at === '') return '';
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? thisYear : otherYear).format(date);
}

/** Epoch ms in another zone; '' for a zone that the browser does not know. */
export function momentIn(at: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, {
      ...{ ...day, weekday: 'short', hour: '2-digit', minute: '2-digit' },
      ...{ hourCycle: 'h23', timeZone },
    }).format(at);
  } catch {
    return '';
  }
}

/** A sentence of the server with its timestamps as people read them. */
export function withMoments(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => moment(at));
}

/** `1 execution`, `2 executions`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Such as `850 ms`, `12 s`, `3 min 5 s`, `2 h 4 min`, `5 d 3 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** The same, but what takes less than ten seconds to a tenth, such as `1.4 s`. */
export function fineDuration(ms: number): string {
  return ms < 1000 || ms >= 9950 ? duration(ms) : `${decimal(ms / 1000, 1)} s`;
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Such as `just now`, `32 s ago`; from a day on the moment itself. */
export function ago(at: number, now: number = Date.now()): string {
  const ms = now - at;
  if (ms < 1000) return 'just now';
  return ms < dayMs ? `${duration(ms)} ago` : `on ${moment(at)}`;
}

const dayMs = 86_400_000;

/** The first eight signs of an id; the title says all of it. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Such as `512 bytes`, `3.4 MB`; a kB has 1,000 bytes. */
export function byteSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${decimal(value, digits)} ${units[unit]}`;
}

/** Such as `4.2 ms`, `120 ms`, `3 s`: short times to a tenth. */
export function milliseconds(ms: number): string {
  return ms < 10 ? `${decimal(ms, 1)} ms` : duration(ms);
}

/** A share as `12 %`; what is more than nothing and rounds to it is `< 1 %`. */
export function percent(share: number): string {
  const hundredths = share * 100;
  return `${hundredths > 0 && hundredths < 1 ? '< 1' : decimal(hundredths, 0)} %`;
}

/** How addresses and requests write a moment; never shown to people. */
export function isoText(at: number): string {
  return new Date(at).toISOString();
}

/** A moment as a field of the browser takes it: local time without a zone; ms where it has some. */
export function localText(at: number): string {
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return isoText(at - offsetMs).replace(/(\.000)?Z$/, '');
}

/** A rate, such as `8.4` or `212`: small ones to a tenth. */
export function rate(value: number): string {
  return decimal(value, value < 10 ? 1 : 0);
}

function decimal(value: number, digits: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

export function count(value: number): string {
  return value.toLocaleString();
}

export function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
