// Understands the text of the search box: words, an id, a filter such as `status:failed`, or the
// grammar of searches (contract-core 12). Words and business keys are looked for in the texts of
// executions; everything else becomes a part of the view that one can take away again.
import { workflowStatuses } from '../../api/types';
import type { View } from '../../state/view';

/** Fields of the grammar that the box offers, with what they are. */
export const searchFields: readonly (readonly [name: string, about: string])[] = [
  ['status', 'running, completed, failed, timed_out, paused, terminated'],
  ['definition', 'name of the definition'],
  ['correlationId', 'business key'],
  ['workflowId', 'id of the execution'],
  ['startTime', 'epoch milliseconds'],
  ['endTime', 'epoch milliseconds'],
  ['version', 'of the definition'],
  ['createdBy', 'who started it'],
  ['reasonForIncompletion', 'why it did not complete'],
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

/** undefined: no field of that name, so it is a word with a colon. */
function filterOf(name: string, value: string, view: View): View | undefined {
  const field = searchFields.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[0];
  if (field === undefined) return undefined;
  if (field === 'definition') return { type: value };
  if (field === 'status') {
    const asked = value.toUpperCase().split(',');
    const known = asked.filter((each) => (workflowStatuses as readonly string[]).includes(each));
    const chosen = (view['status'] ?? '').split(',').filter((each) => each !== '');
    return known.length === 0 ? undefined : { status: [...new Set([...chosen, ...known])].join() };
  }
  const shown = /^\d+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
  return { q: together(view['q'], `${field} = ${shown}`) };
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
