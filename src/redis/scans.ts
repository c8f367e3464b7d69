// Reads whole collections in slices, so that no command takes Redis long however large they grow. A
// member that stays in the collection is seen once; what comes or goes meanwhile may be.
import type { Connection } from './connection.js';

type Reader = Pick<Connection, 'callBuffer'>;

/** Members of a set that one command reads: some 0.1 ms of Redis. */
const membersPerSlice = 500;

/**
 * Fields of a hash with their values. `perSlice` is how many fields one command reads; the caller
 * knows how large the values are.
 */
export async function* fieldsOf(
  redis: Reader,
  key: string,
  perSlice: number,
): AsyncGenerator<[field: string, value: Buffer][]> {
  const seen = new Set<string>();
  for await (const flat of scan(redis, 'HSCAN', key, perSlice)) {
    const pairs: [string, Buffer][] = [];
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const field = String(flat[i]);
      if (!seen.has(field)) pairs.push([field, flat[i + 1] as Buffer]);
      seen.add(field);
    }
    yield pairs;
  }
}

/** The same at once. */
export async function allFields(
  redis: Reader,
  key: string,
  perSlice: number,
): Promise<[field: string, value: Buffer][]> {
  const all: [string, Buffer][] = [];
  for await (const pairs of fieldsOf(redis, key, perSlice)) all.push(...pairs);
  return all;
}

export async function allMembers(redis: Reader, key: string): Promise<string[]> {
  const members = new Set<string>();
  for await (const slice of scan(redis, 'SSCAN', key, membersPerSlice)) {
    for (const member of slice) members.add(String(member));
  }
  return [...members];
}

/** The results of a scan command as they come: it may find the same again. */
export async function* scan(
  redis: Reader,
  command: 'HSCAN' | 'SSCAN' | 'ZSCAN',
  key: string,
  perSlice: number,
): AsyncGenerator<Buffer[]> {
  let cursor = '0';
  do {
    const reply = await redis.callBuffer(command, key, cursor, 'COUNT', perSlice);
    const [next, found] = reply as [Buffer, Buffer[]];
    yield found;
    cursor = String(next);
  } while (cursor !== '0');
}
