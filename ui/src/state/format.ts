// Times, durations and sizes as people read them.

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Epoch ms or a date text; '' when unset. */
export function moment(at: number | string | undefined): string {
  if (at === undefined || at === 0 || at === '') return '';
  return clock.format(new Date(at));
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

export function count(value: number): string {
  return value.toLocaleString();
}

export function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}
