// Whose an execution is: the facts that rights on it hang on, and whether the name of its
// definition still belongs to who it belonged to when the execution started (docs/access.md, "Whose
// executions").
import {
  adHocRegistration,
  earlierRegistration,
  type NameOwner,
  type Registration,
} from '../model/name-registration.js';

/** Facts of an execution that rights hang on; none of them ever changes. */
export interface OwnedExecution {
  /** Of its definition. */
  readonly name: string;
  /** Absent: an earlier version started it. */
  readonly nameOwner?: NameOwner | undefined;
  /** Subject id of who started it. */
  readonly createdBy?: string | undefined;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** The names of workflow definitions as they are registered now. */
export interface RegisteredNames {
  /** undefined: an earlier version registered it, or nobody has. */
  registrationOf(name: string): Registration | undefined;
  isRegistered(name: string): boolean;
}

/** Whether rights by name count for an execution: the name has the owner that it started under. */
export function isNameHeld(names: RegisteredNames, execution: OwnedExecution): boolean {
  const { name, nameOwner, startedAt, createdBy } = execution;
  const registration = names.registrationOf(name);
  if (nameOwner === undefined) {
    // By an earlier version, which kept no registration.
    return (
      registration === undefined || startedAt >= registration.at || registration.by === createdBy
    );
  }
  if (registration !== undefined) return registration.id === nameOwner.registration;
  return (
    nameOwner.registration === (names.isRegistered(name) ? earlierRegistration : adHocRegistration)
  );
}

/**
 * From when on rights by name count for every execution of the name, epoch ms; 0: for all that are
 * stored. undefined: nobody has registered it.
 */
export function heldSince(names: RegisteredNames, name: string): number | undefined {
  const registration = names.registrationOf(name);
  if (registration === undefined) return names.isRegistered(name) ? 0 : undefined;
  return registration.isFirst === true ? 0 : registration.at;
}
