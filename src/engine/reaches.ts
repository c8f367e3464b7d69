// The reaches of a task type declare what its tasks do beyond their own execution. A reach needs
// the right that the route of the same kind needs; the starter of the execution must have it at
// that moment. A page of the handbook lists all of them (docs/access.md, "What runs in an
// execution's name"), and a test compares it with the registered types. Secrets and environment
// variables that expressions name need READ in every type.

export interface Reach {
  readonly right: 'READ' | 'EXECUTE' | 'UPDATE';
  /** Kind of resource (contract-admin 6.2). */
  readonly target: string;
  /** Where the task says which one. */
  readonly named: string;
}

/** The type acts on its own execution only, or outside the server. */
export const reachesNothing: readonly Reach[] = [];
