// The subjects for whom an execution reads a user form or a schema (docs/access.md, "What runs in
// an execution's name"): its starter and, where the name stands in a registered definition, who
// saved that. One of them needs READ on it at that moment.
import type { Execution } from '../model/execution.js';
import { formNames } from '../model/form-names.js';

/** Subject ids, the starter first; an author who is unknown is undefined. */
export type Readers = readonly [string | undefined, ...(string | undefined)[]];

type Started = Pick<Execution, 'attributes' | 'snapshot'>;

/** Of what the definition names itself, such as its schemas. */
export function readersOf({ attributes, snapshot }: Started): Readers {
  const { createdBy, nameOwner } = attributes;
  const { def } = snapshot;
  if (nameOwner?.isInline === true) return [createdBy];
  return [createdBy, def.updatedBy ?? def.createdBy];
}

export function readersOfForm(execution: Started, form: string): Readers {
  const isNamed = formNames(execution.snapshot.def).has(form);
  return isNamed ? readersOf(execution) : [execution.attributes.createdBy];
}
