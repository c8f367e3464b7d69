// A task acts on other resources with the rights of the starter of its execution, as they are at
// that moment (docs/access.md, "What runs in an execution's name").
import { goneStarter, type Caller } from '../model/caller.js';
import { FinalFailure } from './final-failure.js';

/** Finds the starter of an execution by the subject id; undefined: does not exist any more. */
export type StarterLookup = (startedBy: string | undefined) => Caller | undefined;

/** Throws FinalFailure when who started the execution does not exist any more. */
export function requireStarter(
  starter: StarterLookup,
  { startedBy }: { readonly startedBy: string | undefined },
): Caller {
  const caller = starter(startedBy);
  if (caller !== undefined) return caller;
  throw new FinalFailure(goneStarter(startedBy));
}
