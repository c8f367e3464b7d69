// Methods of texts: those whose result is settled to the last bit by the standard and whose cost is
// bounded by the sizes they are charged for.
import { type Method, number, optionalNumber, text } from './arguments.js';
import { giveUp, type RunState, type Value } from './run-state.js';

function ascii(value: string): string {
  // Tables of letters beyond ASCII differ between versions of Unicode.
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 127) giveUp();
  return value;
}

/** A search may compare the part at each place. */
function spendSearch(state: RunState, where: string, part: string): void {
  state.spendText(where.length * (1 + part.length / 16));
}

function replace(state: RunState, target: string, args: readonly Value[], all: boolean): string {
  const part = text(args[0]);
  const by = text(args[1]);
  if (by.includes('$') || args.length !== 2) giveUp();
  spendSearch(state, target, part);
  if (all) state.spendText((target.length + 1) * by.length);
  return all ? target.replaceAll(part, by) : target.replace(part, by);
}

export const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ['charAt', (_state, target, args) => target.charAt(number(args[0] ?? 0))],
  ['charCodeAt', (_state, target, args) => target.charCodeAt(number(args[0] ?? 0))],
  ['at', (_state, target, args) => target.at(number(args[0]))],
  ['toString', (_state, target, args) => (args.length === 0 ? target : giveUp())],
  [
    'indexOf',
    (state, target, args) => {
      spendSearch(state, target, text(args[0]));
      return target.indexOf(text(args[0]), optionalNumber(args[1]));
    },
  ],
  [
    'lastIndexOf',
    (state, target, args) => {
      if (args.length !== 1) giveUp();
      spendSearch(state, target, text(args[0]));
      return target.lastIndexOf(text(args[0]));
    },
  ],
  [
    'includes',
    (state, target, args) => {
      spendSearch(state, target, text(args[0]));
      return target.includes(text(args[0]), optionalNumber(args[1]));
    },
  ],
  [
    'startsWith',
    (_state, target, args) => target.startsWith(text(args[0]), optionalNumber(args[1])),
  ],
  ['endsWith', (_state, target, args) => target.endsWith(text(args[0]), optionalNumber(args[1]))],
  [
    'slice',
    (_state, target, args) => target.slice(optionalNumber(args[0]), optionalNumber(args[1])),
  ],
  [
    'substring',
    (_state, target, args) => target.substring(number(args[0]), optionalNumber(args[1])),
  ],
  ['substr', (_state, target, args) => substr(target, number(args[0]), optionalNumber(args[1]))],
  [
    'toUpperCase',
    (state, target) => {
      state.spendText(target.length);
      return ascii(target).toUpperCase();
    },
  ],
  [
    'toLowerCase',
    (state, target) => {
      state.spendText(target.length);
      return ascii(target).toLowerCase();
    },
  ],
  ['trim', (state, target) => (state.spendText(target.length), target.trim())],
  ['trimStart', (state, target) => (state.spendText(target.length), target.trimStart())],
  ['trimEnd', (state, target) => (state.spendText(target.length), target.trimEnd())],
  [
    'split',
    (state, target, args) => {
      if (args.length !== 1) giveUp();
      const separator = text(args[0]);
      spendSearch(state, target, separator);
      if (separator === '') state.spend(target.length);
      return state.own<Value[]>(target.split(separator));
    },
  ],
  [
    'concat',
    (state, target, args) => {
      const whole = target + args.map(text).join('');
      state.spendText(whole.length);
      return whole;
    },
  ],
  [
    'repeat',
    (state, target, args) => {
      const count = number(args[0]);
      if (!Number.isInteger(count) || count < 0) giveUp();
      state.spendText(target.length * count);
      return target.repeat(count);
    },
  ],
  ['padStart', (state, target, args) => pad(state, target, args, 'padStart')],
  ['padEnd', (state, target, args) => pad(state, target, args, 'padEnd')],
  ['replace', (state, target, args) => replace(state, target, args, false)],
  ['replaceAll', (state, target, args) => replace(state, target, args, true)],
]);

function substr(target: string, from: number, length: number | undefined): string {
  if (!Number.isInteger(from) || (length !== undefined && !Number.isInteger(length))) giveUp();
  const start = from < 0 ? Math.max(0, target.length + from) : from;
  return target.slice(start, length === undefined ? undefined : start + Math.max(0, length));
}

function pad(
  state: RunState,
  target: string,
  args: readonly Value[],
  side: 'padStart' | 'padEnd',
): string {
  const length = number(args[0]);
  const filler = args[1] === undefined ? ' ' : text(args[1]);
  state.spendText(Math.max(length, 0));
  return target[side](length, filler);
}
