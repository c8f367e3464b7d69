// Reads all that an import takes from a running server. A thing that the server does not have, or
// does not show to this caller, is told and left out: an open-source Conductor has no users, and a
// key that may not read users can still bring the definitions.
import { readTags, tagText, tellAbsent, webhook, type Kind } from '../apply/kinds.js';
import type { Given } from '../apply/files.js';
import { Refused, type ApiClient } from '../shared/api-client.js';
import { objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { begunTag } from './hand-over.js';
import { grantsOf, importKinds, isGrant, isGroup, isUser } from './import-kinds.js';

export interface GatherOptions {
  /** Names of kinds; absent: all. */
  readonly kinds?: readonly string[] | undefined;
  /** Only what has an id that begins so. */
  readonly prefix: string;
}

export interface Gathered {
  readonly given: readonly Given[];
  /** Names of secrets there; values cannot be read. */
  readonly secrets: readonly string[];
  /** The things that are not brought, in sentences. */
  readonly left: readonly string[];
}

export async function gather(
  source: ApiClient,
  { kinds, prefix }: GatherOptions,
): Promise<Gathered> {
  const given: Given[] = [];
  const left: string[] = [];
  const absent: Kind[] = [];
  const asked = importKinds.filter(({ name }) => kinds?.includes(name) !== false);
  for (const kind of asked) {
    const bodies = await shown(source, kind, given, left);
    if (bodies === undefined) {
      absent.push(kind);
      continue;
    }
    const chosen = bodies.filter((body) => isGrant(kind) || kind.idOf(body).startsWith(prefix));
    given.push(...(await withTags(source, kind, chosen)));
  }
  // Grants are asked for by user and group: where these are absent, nothing says more of them.
  const lacking = tellAbsent(source, { asked: asked.filter((kind) => !isGrant(kind)), absent });
  if (lacking !== undefined) left.push(lacking);
  return {
    given,
    secrets: kinds === undefined ? await secretsOf(source, left) : [],
    left: [...left, ...(kinds === undefined ? await applications(source) : [])],
  };
}

/** undefined where the server has no such things; none where it does not show them. */
async function shown(
  source: ApiClient,
  kind: Kind,
  given: readonly Given[],
  left: string[],
): Promise<JsonObject[] | undefined> {
  try {
    if (!isGrant(kind)) return await kind.list(source, []);
    const users = given.filter((each) => isUser(each.kind));
    const groups = given.filter((each) => isGroup(each.kind));
    return await grantsOf(source, [
      ...users.map(({ id }) => ({ type: 'USER', id }) as const),
      ...groups.map(({ id }) => ({ type: 'GROUP', id }) as const),
    ]);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 403) throw error;
    left.push(`The key may not read ${kind.folder} (403), so none are brought.`);
    return [];
  }
}

async function withTags(
  source: ApiClient,
  kind: Kind,
  bodies: readonly JsonObject[],
): Promise<Given[]> {
  const given: Given[] = [];
  let hasTags = kind.tagsPath !== undefined;
  const seen = new Map<string, JsonObject[]>();
  for (const body of bodies) {
    let tags = objectsOf(body['tags']);
    const path = kind.tagsPath?.(body);
    if (hasTags && tags.length === 0 && path !== undefined) {
      const known = seen.get(path);
      const read = known === undefined ? await readTags(source, kind, body) : [];
      // The first that has no such route speaks for all.
      if (known === undefined && read === undefined) hasTags = false;
      tags = known ?? (read ?? []).map(toTag);
      seen.set(path, tags);
    }
    given.push(givenOf(kind, body, tags));
  }
  return given;
}

function toTag(text: string): JsonObject {
  const at = text.indexOf(':');
  return { type: 'METADATA', key: text.slice(0, at), value: text.slice(at + 1) };
}

function givenOf(kind: Kind, found: JsonObject, tags: readonly JsonObject[]): Given {
  const kept = Object.entries(found).filter(
    ([name, value]) =>
      value !== null && (!kind.uncompared.includes(name) || isShownSecret(kind, name, value)),
  );
  const clean = Object.fromEntries(kept);
  const plain = kind.normal?.(clean) ?? clean;
  const own = tags.map(plainTag).filter((tag) => tagText(tag) !== begunTag);
  const body = own.length === 0 ? plain : { ...plain, tags: own };
  return { kind, id: kind.idOf(body), body, file: '' };
}

function plainTag(tag: JsonObject): JsonObject {
  return toTag(tagText(tag));
}

/** Headers that a webhook checks are compared by no one, but they are needed to store it. */
function isShownSecret(kind: Kind, name: string, value: unknown): boolean {
  if (kind !== webhook || !['headers', 'secretValue'].includes(name)) return false;
  return !/\*\*\*/.test(JSON.stringify(value));
}

async function secretsOf(source: ApiClient, left: string[]): Promise<string[]> {
  try {
    const all = await source.post('/api/secrets');
    return Array.isArray(all) ? all.map(String) : [];
  } catch (error) {
    if (!(error instanceof Refused) || ![403, 404, 405].includes(error.status)) throw error;
    if (error.status === 403) left.push('The key may not list secrets (403).');
    return [];
  }
}

async function applications(source: ApiClient): Promise<string[]> {
  try {
    const names = objectsOf(await source.find('/api/applications')).map((each) =>
      textOf(each['name']),
    );
    if (names.length === 0) return [];
    return [
      `Secrets of access keys cannot be read: make new keys of ${names.join(', ')} (downbeat key create).`,
    ];
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return [];
    throw error;
  }
}
