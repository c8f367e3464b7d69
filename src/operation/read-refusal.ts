// An execution reads a resource by name where one of its readers (engine/readers.ts) has READ on
// that resource, with the rights of that moment.
import type { AccessRules, TargetType } from '../access/access-rules.js';
import type { Readers } from '../engine/readers.js';
import { starterShown, type Caller } from '../model/caller.js';

export interface ReadRefusalParts {
  readonly access: AccessRules;
  /** With whose rights what a subject starts or saves acts; undefined: the subject is gone. */
  readonly starterOf: (subject: string | undefined) => Caller | undefined;
}

/** Names right and resource; undefined: one of the readers may. */
export function readRefusal(
  { access, starterOf }: ReadRefusalParts,
  target: { readonly type: TargetType; readonly id: string },
  readers: Readers,
): string | undefined {
  const mayRead = (subject: string | undefined): boolean => {
    const caller = starterOf(subject);
    return caller !== undefined && access.may(caller, 'READ', target);
  };
  if (readers.some(mayRead)) return undefined;
  return `${starterShown(readers[0])} has no READ access on ${target.type} ${target.id}`;
}
