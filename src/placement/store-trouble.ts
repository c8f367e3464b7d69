// Says in one sentence what is wrong with the store, for people who ask after the node's health.

const sentences: readonly (readonly [RegExp, string])[] = [
  [/\bREADONLY\b/, 'Redis refuses writes: this server is a replica (READONLY)'],
  [/\bOOM\b/, 'Redis refuses writes: it has reached its memory limit (OOM)'],
  [/\bLOADING\b/, 'Redis is loading its data (LOADING)'],
  [/\bBUSY\b/, 'Redis is busy with a script that does not end (BUSY)'],
  [/\bMISCONF\b/, 'Redis refuses writes: it cannot write to its disk (MISCONF)'],
  [/\bCLUSTERDOWN\b/, 'The Redis Cluster does not serve all slots (CLUSTERDOWN)'],
  [
    /Stream isn't writeable|Connection is closed|ECONNREFUSED|connection to the store was lost/,
    'There is no connection to Redis: it is away, or still loading its data',
  ],
  [/\b(NOAUTH|WRONGPASS|NOPERM)\b/, 'Redis refuses this user: check its password and rights'],
];

/** Times that tell whether the store of a node answers. */
export interface StoreSilence {
  /** Since the store last renewed this node's lease, ms; endless before the first time. */
  readonly sinceRenewalMs: number;
  /** For how long a question has been without an answer, ms; 0: there is none. */
  readonly waitingMs: number;
}

/** `failure`: the newest message of a failed call, '' when none has failed. */
export function describeStoreTrouble(failure: string, silence: StoreSilence): string {
  const known = sentences.find(([pattern]) => pattern.test(failure));
  if (known !== undefined) return known[1];
  if (failure !== '') return `Redis cannot be used: ${failure}`;
  const { sinceRenewalMs, waitingMs } = silence;
  if (!Number.isFinite(sinceRenewalMs)) return 'Redis has not answered yet';
  if (waitingMs > 0) return `Redis has not answered for ${seconds(waitingMs)}`;
  return `This node has not renewed its lease for ${seconds(sinceRenewalMs)}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
