// Warnings in the log about a Redis that serves but keeps less than its users may expect. It starts
// all the same: the owner of that Redis may want it so.

export interface WarnedSettings {
  /** '' = a private Redis. */
  readonly redisUrl: string;
  readonly appendFsync: string;
}

export interface WarnedStore {
  /** Level of invariants section 2. */
  readonly durability: string;
  readonly memory: { readonly usage: { readonly limitBytes: number } };
}

/** One sentence each, with what to do. */
export function storeWarnings(settings: WarnedSettings, store: WarnedStore): string[] {
  const { redisUrl, appendFsync } = settings;
  const { durability, memory } = store;
  const warnings: string[] = [];
  // A private Redis has the limit and the level that its settings ask for.
  const wantsLess = redisUrl === '' && appendFsync === 'everysec';
  if (!/^D[01]\b/.test(durability) && !wantsLess) {
    warnings.push(
      `Redis keeps less than an answer promises (${durability}): a crash of it can lose acknowledged work. ` +
        'Set appendonly yes, appendfsync always and aof-load-truncated no there (README, "What a durability setting can lose").',
    );
  }
  if (memory.usage.limitBytes === 0) {
    warnings.push(
      'Redis has no memory limit (maxmemory 0), so nothing refuses starts before its machine has no memory left: ' +
        `set ${redisUrl === '' ? '--redis-memory-bytes' : 'maxmemory there'} below what the machine has.`,
    );
  }
  return warnings;
}
