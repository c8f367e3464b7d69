// Names that no resource may have (docs/access.md, "Names"). Grants name their target by an id, and
// three forms of ids mean more than one resource: `*` is all of a type, `app:ID` and `TYPE:ID` name
// a subject or a target with its type. A resource with such a name would be one thing to its
// creator and another to the rules.
import { AppError } from '../model/errors.js';
import { illFormedMessage, isWellFormed } from '../std/well-formed.js';
import { targetTypes } from './access-rules.js';

/** Kinds of subjects that grants name. */
export const subjectTypes = ['USER', 'GROUP', 'ROLE'] as const;

/** As a target's id: every resource of the type (contract-admin 6.3 rule 3). */
export const everyId = '*';

const typeBefore = new RegExp(`^(?:${[...subjectTypes, ...targetTypes, 'SECRET'].join('|')}):`);
const applicationBefore = /^app:/i;

/** The rule that a name breaks, to be read after the field's name; undefined: it may be used. */
export function resourceNameFault(name: string): string | undefined {
  if (name.includes('\u0000')) return 'may not hold the character U+0000';
  if (!isWellFormed(name)) return illFormedMessage;
  if (name.includes('*')) return "may not hold '*', which means all resources in a grant";
  const prefix = (applicationBefore.exec(name) ?? typeBefore.exec(name))?.[0];
  if (prefix !== undefined) return `may not begin with '${prefix}', as ids in grants do`;
  return name.endsWith(':') ? "may not end with ':', which divides ids in grants" : undefined;
}

/** Throws AppError 'bad-request'. */
export function checkResourceName(field: string, name: string): void {
  const fault = resourceNameFault(name);
  if (fault !== undefined) throw new AppError('bad-request', `${field} ${fault}`);
}
