// Administrative records in Redis: per kind a hash of JSON texts and a sorted set that holds the
// revision of each id's newest change, removals too, so that a node reads only what has changed.
import type { RecordKind } from '../store/record-kinds.js';
import {
  writesMax,
  type RecordStore,
  type RecordWrite,
  type RecordWriteResult,
  type StoredRecord,
  type Unchanged,
} from '../store/record-store.js';
import type { RedisClient } from './client.js';
import { packEnvelope } from './codec/envelope.js';
import { packText, unpackText } from './codec/record.js';
import { partsOf } from '../std/parts.js';
import { Script } from './script.js';

const writeScript = Script.named('write-records');

/** Records read by one command. */
const readsPerCallMax = 200;
/** Changes read by one command; one revision has no more than `writesMax`. */
const changesPerCallMax = 2 * writesMax;

export class RedisRecordStore implements RecordStore {
  constructor(private readonly redis: RedisClient) {}

  async load(kind: RecordKind): Promise<{ records: StoredRecord[]; revision: number }> {
    return await this.changes(kind, 0);
  }

  async changes(
    kind: RecordKind,
    revision: number,
  ): Promise<{ records: StoredRecord[]; revision: number }> {
    const { keys, reads } = this.redis;
    const { changes, newest } = await this.#changesSince(kind, revision);
    const records: StoredRecord[] = [];
    for (const some of partsOf([...changes], readsPerCallMax)) {
      const ids = some.map(([id]) => id);
      const texts = (await reads.callBuffer(
        'HMGET',
        keys.records(kind),
        ...ids,
      )) as (Buffer | null)[];
      some.forEach(([id, changedAt], index) => {
        const bytes = texts[index];
        const text = bytes ? unpackText(`record of kind ${kind}`, bytes) : undefined;
        // A first load has no use for what was removed.
        if (text !== undefined || revision > 0) records.push({ id, text, revision: changedAt });
      });
    }
    return { records, revision: newest };
  }

  /**
   * Ids with their newest revisions. All changes of a revision but the last one that a slice holds
   * are in it, so the next slice begins behind these: an id that moves on meanwhile comes again.
   */
  async #changesSince(
    kind: RecordKind,
    revision: number,
  ): Promise<{ changes: Map<string, number>; newest: number }> {
    const { keys, reads } = this.redis;
    const changes = new Map<string, number>();
    let newest = revision;
    for (let isWhole = false; !isWhole;) {
      const range = [`(${newest}`, '+inf', 'WITHSCORES', 'LIMIT', 0, changesPerCallMax] as const;
      const flat = (await reads.call(
        'ZRANGEBYSCORE',
        keys.recordChanges(kind),
        ...range,
      )) as string[];
      isWhole = flat.length < 2 * changesPerCallMax;
      const last = Number(flat.at(-1) ?? newest);
      for (let i = 0; i < flat.length; i += 2) {
        const changedAt = Number(flat[i + 1]);
        if (!isWhole && changedAt === last) break;
        changes.set(flat[i] as string, changedAt);
        newest = changedAt;
      }
    }
    return { changes, newest };
  }

  async revisions(): Promise<ReadonlyMap<string, number>> {
    const { keys, reads } = this.redis;
    const fields = (await reads.call('HGETALL', keys.recordRevisions())) as
      string[] | Record<string, string>;
    const revisions = new Map<string, number>();
    if (Array.isArray(fields)) {
      for (let i = 0; i < fields.length; i += 2) {
        revisions.set(fields[i] as string, Number(fields[i + 1]));
      }
    } else for (const [kind, text] of Object.entries(fields)) revisions.set(kind, Number(text));
    return revisions;
  }

  async write(writes: readonly RecordWrite[], unchanged?: Unchanged): Promise<RecordWriteResult> {
    if (writes.length > writesMax) throw new Error(`More than ${writesMax} records in one write`);
    const { keys } = this.redis;
    const kinds = [...new Set(writes.map(({ kind }) => kind))];
    const packed = writes.map(({ kind, id, text, condition = 'any' }) => [
      kinds.indexOf(kind) + 1,
      id,
      text === undefined ? false : packText(text),
      condition,
    ]);
    const [stored, number] = (await this.redis.commits.run(
      writeScript,
      [
        keys.recordRevisions(),
        ...kinds.flatMap((kind) => [keys.records(kind), keys.recordChanges(kind)]),
      ],
      [
        packEnvelope(kinds),
        packEnvelope(packed),
        unchanged?.since.toString() ?? '',
        unchanged?.idEnd ?? '',
      ],
    )) as [number, number];
    if (stored === 0) return { outcome: 'refused', index: number };
    // The next read of the revisions makes up for a lost notice.
    const channel = keys.recordChannel();
    for (const kind of kinds) {
      this.redis.reads.call('PUBLISH', channel, kind).catch(() => undefined);
    }
    return { outcome: 'stored', revision: number };
  }

  async onChange(listener: (kind: string) => void): Promise<void> {
    await this.redis.subscribe(this.redis.keys.recordChannel(), (kind) =>
      listener(kind.toString()),
    );
  }

  async process(): Promise<string | undefined> {
    return await this.redis.processOf(this.redis.keys.recordRevisions());
  }
}
