// Notices between nodes about shards. A notice may be lost: its receiver finds the same in the
// store a turn later.

export const shardNotices = {
  /** The sender serves these shards: OwnershipNews. */
  owned: 'shards-owned',
  /** These shards are free by their owner records, and placed on the receiver. */
  released: 'shards-released',
  /** These shards, which the sender wants, are the receiver's by their owner records. */
  named: 'shards-named',
  /** A member joins or leaves: read the members. */
  members: 'members-changed',
} as const;
