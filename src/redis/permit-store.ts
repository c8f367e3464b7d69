// The permits of limited workflows in Redis: one script (room.lua) over the keys of a pool, which
// share a slot.
import type { ExecutionId } from '../std/ids.js';
import type {
  PermitRequest,
  PermitAnswer,
  PermitHolders,
  PermitMessage,
  PermitStore,
} from '../store/permit-store.js';
import type { RedisClient } from './client.js';
import { Script } from './script.js';

const permitScript = Script.named('room');
/** A node that was cut off longer than this has lost its connections. */
const fenceMs = 600_000;
const atOnceMax = 100;
/** In the order in which the script takes them. */
const parts = ['taken', 'waiting', 'untold', 'asked', 'limit'] as const;

export class RedisPermitStore implements PermitStore {
  constructor(private readonly redis: RedisClient) {}

  async take({ startedAt, places, isForced, ...message }: PermitRequest): Promise<PermitAnswer> {
    return await this.#run(isForced ? 'force' : 'take', message, startedAt, places);
  }

  async leave(message: PermitMessage): Promise<PermitAnswer> {
    return await this.#run('leave', message);
  }

  async told(room: string, id: ExecutionId): Promise<PermitAnswer> {
    return await this.#run('told', { room, id, number: 0 });
  }

  async holders(room: string, max: number): Promise<PermitHolders> {
    const { keys, reads } = this.redis;
    const [ids, waiting] = await reads.callAll([
      ['SRANDMEMBER', keys.room(room, 'taken'), max],
      ['ZCARD', keys.room(room, 'waiting')],
    ]);
    const holders = (ids as (string | Buffer)[]).map((each) => String(each) as ExecutionId);
    return { holders, isWaitedFor: waiting !== 0 };
  }

  async look(
    room: string,
    ids: readonly ExecutionId[],
  ): Promise<{ taken: number; known: boolean[] }> {
    const { keys, reads } = this.redis;
    const asked = keys.room(room, 'asked');
    const [count = 0, ...found] = (await reads.callAll([
      ['SCARD', keys.room(room, 'taken')],
      ...ids.flatMap((id) => [
        ['HEXISTS', asked, id] as const,
        ['EXISTS', keys.room(room, `left:${id}`)] as const,
      ]),
    ])) as number[];
    return {
      taken: count,
      known: ids.map((_id, i) => found[2 * i] === 1 || found[2 * i + 1] === 1),
    };
  }

  async #run(
    operation: 'take' | 'force' | 'leave' | 'told',
    { room, id, number }: PermitMessage,
    startedAt = 0,
    places = 0,
  ): Promise<PermitAnswer> {
    const { keys, commits } = this.redis;
    const reply = (await commits.run(
      permitScript,
      [...parts.map((part) => keys.room(room, part)), keys.room(room, `left:${id}`)],
      [operation, id, number, startedAt, places, fenceMs, atOnceMax],
    )) as [number, (string | Buffer)[]];
    const [has, ids] = reply;
    return { hasPlace: has === 1, untold: ids.map((each) => String(each) as ExecutionId) };
  }
}
