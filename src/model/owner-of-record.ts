// The owner of record: with whose rights a schedule, a webhook, an event handler or an outgoing
// webhook acts later (docs/access.md, Owner of record). A caller that changes the effect of such a
// record becomes its owner, so that nobody makes it act with rights that he does not have himself.
// Pausing and resuming keep the owner. Records that were stored before this rule have no `actsAs`:
// they act as who created them.

export interface OwnedRecord {
  /** Subject id of who created it; empty: it was created without authentication. */
  readonly createdBy: string;
  /** Subject id of who changed it last; absent: the creator did. */
  readonly actsAs?: string;
}

/** Subject id of who answers for the record. */
export function ownerIdOf({ createdBy, actsAs }: OwnedRecord): string {
  return actsAs ?? createdBy;
}

/** The fields of a record that `callerId` creates (`createdBy` undefined) or changes. */
export function ownedBy(callerId: string, createdBy: string | undefined): OwnedRecord {
  if (createdBy === undefined || createdBy === callerId) return { createdBy: callerId };
  return { createdBy, actsAs: callerId };
}
