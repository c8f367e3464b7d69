// The owner of a workflow's name over time (docs/access.md, "Whose executions"). A *registration*
// of a name begins when its first version is stored and ends when its last version is deleted. An
// execution keeps the registration under which it started: a caller that registers the name after
// that owns the new registration and nothing of the one before.

export interface Registration {
  /** Drawn; never given twice. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  /** Subject id of who registered the name; '' while authentication was off. */
  readonly by: string;
  /** Nothing had ever been started under the name that was still stored. */
  readonly isFirst?: true;
}

/**
 * The tasks that a version names and that its name's versions named before it was saved: since when
 * without a break, epoch ms, by the name of the task. All others it names since it was saved.
 */
export type NamedSince = ReadonlyMap<string, number>;

/** Stands for that of names which an earlier version registered: it drew none. */
export const earlierRegistration = '-';
/** Stands for that of a name which nobody has registered (inline definitions). */
export const adHocRegistration = '';

/** The part of a registration that an execution keeps. */
export interface NameOwner {
  /** A registration's id, `earlierRegistration` or `adHocRegistration`. */
  readonly registration: string;
  /** Subject id of who owned the name; of the starter for a name that nobody had registered. */
  readonly owner: string;
  /** The definition came with the start. */
  readonly isInline?: true;
}

/** The one of two that began first, the same on every node. */
export function firstRegistration(
  one: Registration | undefined,
  other: Registration | undefined,
): Registration | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.at !== other.at) return one.at < other.at ? one : other;
  return one.id < other.id ? one : other;
}

/**
 * The name within which idempotency keys are told apart: that of the definition. Under a name that
 * nobody has registered each starter has keys of their own, because anybody may start under it.
 */
export function nameOfKeys(name: string, nameOwner: NameOwner | undefined): string {
  const isShared = nameOwner?.registration !== adHocRegistration || nameOwner.owner === '';
  return isShared ? name : `${name}\u0000${nameOwner.owner}`;
}
