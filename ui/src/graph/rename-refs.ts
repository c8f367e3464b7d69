// Renames a task in everything that refers to it: `${ref…}`, the lists of JOINs, conditions of
// loops.
import type { RawDefinition } from './task-lists';

/** Members whose texts are reference names. */
const refLists = new Set(['joinOn', 'defaultExclusiveJoinTask']);

export function renamed(definition: RawDefinition, from: string, to: string): RawDefinition {
  if (from === to) return definition;
  const name = from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const reference = new RegExp(`\\$\\{${name}(?=[.[}])`, 'g');
  const inScript = new RegExp(`\\$\\.${name}(?![\\w-])`, 'g');
  const inBrackets = new RegExp(`\\$\\[(['"])${name}\\1\\]`, 'g');
  const inText = (text: string, member: string): string => {
    if (refLists.has(member)) return text === from ? to : text;
    if (member !== 'loopCondition') return text.replace(reference, () => `\${${to}`);
    return text
      .replace(inScript, () => `$.${to}`)
      .replace(inBrackets, (_all, quote: string) => `$[${quote}${to}${quote}]`);
  };
  const walk = (value: unknown, member: string): unknown => {
    if (typeof value === 'string') return inText(value, member);
    if (Array.isArray(value)) return value.map((each) => walk(each, member));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, key)]));
  };
  return walk(definition, '') as RawDefinition;
}
