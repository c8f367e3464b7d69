// Views of an execution that can travel. A view is a function that runs on the live state at the
// execution's owner; one with a name is sent to the owner as its name and arguments, both plain
// data. Views without a name are for rare reads: another node runs them on what is stored.
import type { OpenExecution } from '../engine/open-execution.js';

/** Runs synchronously and must copy what it returns; its answer is plain data. */
export interface NamedView<Args, Answer> {
  readonly name: string;
  readonly view: (open: OpenExecution, args: Args) => Answer;
}

/** A view with its arguments. */
export type View<Answer> = ((open: OpenExecution) => Answer) & {
  readonly named?: { readonly name: string; readonly args: unknown };
};

/** The named view with its arguments. */
export function viewOf<Args, Answer>(
  { name, view }: NamedView<Args, Answer>,
  args: Args,
): View<Answer> {
  return Object.assign((open: OpenExecution) => view(open, args), { named: { name, args } });
}

/** Something that a caller waits for; asked after each transition, at the execution's owner. */
export interface NamedWait<Args, Answer> {
  readonly name: string;
  /** undefined: not yet. */
  readonly reached: (open: OpenExecution, args: Args) => Answer | undefined;
  /** The answer when the time is over. */
  readonly late: (open: OpenExecution, args: Args) => Answer;
}
