// Why what an expression gives cannot be used. The caller that evaluates one for a task ends the
// task with the reason; where nothing may fail (state events, a rerun) it goes on without the
// value.
import { starterShown } from '../../model/caller.js';

/** Thrown by evaluations. */
export abstract class ExpressionRefusal extends Error {
  /** The reason as a sentence about `what` was evaluated, such as `The input of the task`. */
  abstract sentence(what: string): string;
}

/**
 * The starter of the execution may not read something that an expression names (docs/access.md,
 * "What runs in an execution's name").
 */
export class AccessRefusal extends ExpressionRefusal {
  override name = 'AccessRefusal';

  constructor(startedBy: string | undefined, resource: string) {
    super(`${starterShown(startedBy)} has no READ access on ${resource}`);
  }

  sentence(): string {
    return this.message;
  }
}

/** A secret is named where its value may not come (semantics 3.7.1). */
export class SecretRefusal extends ExpressionRefusal {
  override name = 'SecretRefusal';

  sentence(): string {
    return this.message;
  }
}
