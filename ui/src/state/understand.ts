// Understands the text of the search box: words, an id, a filter such as `status:failed`, or the
// grammar of searches (contract-core 12). Words and business keys are looked for in the texts of
// executions; everything else becomes a part of the view that one can take away again.
import { workflowStatuses } from '../api/types';
import { nearest } from './nearest';
import type { View } from './view';

/** Fields of the grammar, with what they are; `definition` is what it calls workflowType. */
const searchFields: readonly (readonly [name: string, about: string])[] = [
  ['status', 'running, completed, failed, timed_out, paused, terminated'],
  ['definition', 'name of the definition'],
  ['correlationId', 'business key'],
  ['workflowId', 'id of the execution'],
  ['startTime', 'epoch milliseconds'],
  ['endTime', 'epoch milliseconds'],
  ['updateTime', 'epoch milliseconds'],
  ['executionTime', 'milliseconds from its start to its end'],
  ['version', 'of the definition'],
  ['priority', 'of its tasks'],
  ['createdBy', 'who started it'],
  ['reasonForIncompletion', 'why it did not complete'],
  ['failedReferenceTaskNames', 'a task that failed'],
  ['parentWorkflowId', 'id of the execution that started it'],
  ['event', 'what started it'],
  ['idempotencyKey', 'key that it was started with'],
  ['input', 'what its input holds'],
  ['output', 'what its output holds'],
];

/** Changes of the view; empty for nothing. */
export function understood(typed: string, view: View): View {
  const text = typed.trim();
  if (text === '') return {};
  if (isGrammar(text)) return { q: together(view['q'], text), start: '' };
  const words: string[] = [];
  let changes: View = {};
  for (const part of partsOf(text)) {
    const [, name = '', value = ''] = /^(\w+):(.+)$/s.exec(part) ?? [];
    const next = name === '' ? undefined : filterOf(name, unquoted(value), { ...view, ...changes });
    if (next === undefined) words.push(part);
    else changes = { ...changes, ...next };
  }
  const more = words.join(' ');
  if (more === '') return { ...changes, start: '' };
  const whole = view['text'] === undefined || view['text'] === '*' ? '' : `${view['text']} `;
  return { ...changes, text: whole + more, start: '' };
}

/** A comparison of a field, alone or with others. */
function isGrammar(text: string): boolean {
  return /^\(*\s*[\w.]+\s*(?:=|!=|<|>|<=|>=|\bIN\b|\bLIKE\b|\bNOT\b|\bIS\b|\bBETWEEN\b)/i.test(
    text,
  );
}

function together(known: string | undefined, clause: string): string {
  return known === undefined || known === '' ? clause : `(${known}) AND (${clause})`;
}

/** Words, phrases in quotes, and `name:"value"` as one each. */
function partsOf(text: string): readonly string[] {
  return text.match(/\w+:"[^"]*"|"[^"]*"|\S+/g) ?? [];
}

function unquoted(value: string): string {
  return value.replace(/^"(.*)"$/s, '$1');
}

/**
 * undefined: no field of that name, so it is a word with a colon. One that is nearly a field is
 * left to the server, which refuses it by its name.
 */
function filterOf(name: string, value: string, view: View): View | undefined {
  const field = fieldOf(name);
  if (field === undefined) return undefined;
  if (field === 'definition' || field === 'workflowType') return { type: value };
  if (field === 'status') {
    const asked = value.toUpperCase().split(',');
    const known = asked.filter((each) => (workflowStatuses as readonly string[]).includes(each));
    const chosen = (view['status'] ?? '').split(',').filter((each) => each !== '');
    return known.length === 0 ? undefined : { status: [...new Set([...chosen, ...known])].join() };
  }
  const shown = /^\d+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
  return { q: together(view['q'], `${field} = ${shown}`) };
}

function fieldOf(name: string): string | undefined {
  const known = [...searchFields.map(([each]) => each), 'workflowType'];
  const wanted = name.toLowerCase();
  const field = known.find((each) => each.toLowerCase() === wanted);
  if (field !== undefined) return field;
  const names = known.map((each) => each.toLowerCase());
  return nearest(wanted, names) === undefined ? undefined : name;
}

/** The last word of what is typed, and what it can become. */
export function completionsOf(
  typed: string,
  definitions: readonly string[],
): readonly { readonly text: string; readonly about: string }[] {
  const [last = ''] = /\S*$/.exec(typed) ?? [];
  const before = typed.slice(0, typed.length - last.length);
  const [, name, begin = ''] = /^(\w+):(.*)$/.exec(last) ?? [];
  const fits = (each: string, wanted: string): boolean =>
    each.toLowerCase().includes(wanted.toLowerCase());
  if (name === undefined) {
    if (last === '') return [];
    return searchFields
      .filter(([each]) => fits(each, last))
      .map(([each, about]) => ({ text: `${before}${each}:`, about }));
  }
  const values =
    name.toLowerCase() === 'status'
      ? workflowStatuses.map((status) => status.toLowerCase())
      : name.toLowerCase() === 'definition'
        ? definitions
        : [];
  return values
    .filter((each) => each !== begin && fits(each, begin))
    .slice(0, shownMax)
    .map((each) => ({ text: `${before}${name}:${each}`, about: '' }));
}

const shownMax = 8;
