// Plans the changes that bring a server in step with the files. The plan is made before anything is
// changed. Carrying it out may break off (the server goes away): what is done stays, and the next
// plan has only what is left.
import type { ApiClient } from '../shared/api-client.js';
import { badInput, Failure } from '../shared/failure.js';
import { objectsOf, type JsonObject } from '../shared/json.js';
import { askBeforehand } from './ask-beforehand.js';
import { differences } from './compare.js';
import type { Given } from './files.js';
import { addTag, kinds, readTags, tagText, type Kind } from './kinds.js';

export interface Step {
  readonly action: 'create' | 'update' | 'delete' | 'unchanged';
  readonly kind: Kind;
  readonly id: string;
  readonly body: JsonObject;
  readonly found: JsonObject | undefined;
  /** The differences, for a person. */
  readonly changes: readonly string[];
  /** The thing itself is as it should be, and a tag that has a route of its own is missing. */
  readonly isTagsOnly?: true;
  /** The file that says so; absent: no file does. */
  readonly file?: string;
}

export interface PlanOptions {
  /** `key:value`: the tag that marks what these files own. */
  readonly label: string | undefined;
  /** Deletes the things that have the label and are in no file. */
  readonly prune: boolean;
}

export async function planOf(
  client: ApiClient,
  given: readonly Given[],
  { label, prune }: PlanOptions,
): Promise<Step[]> {
  if (prune && label === undefined)
    throw badInput(
      '--prune needs --label: only what carries the label is deleted. Nothing was changed.',
    );
  const steps: Step[] = [];
  const gone: Step[] = [];
  for (const kind of kinds) {
    const wanted = given.filter((each) => each.kind === kind);
    if (wanted.length === 0 && !prune) continue;
    const found = await kind.list(
      client,
      wanted.map(({ body }) => body),
    );
    if (found === undefined) {
      if (wanted.length === 0) continue;
      throw new Failure(
        `${client.address.root} has no ${kind.folder}: take ${wanted[0]?.file ?? ''} out. Nothing was changed.`,
      );
    }
    const known = new Map(found.map((body) => [kind.idOf(body), body]));
    for (const each of wanted) {
      const step = await stepOf(client, each, known.get(each.id), label);
      steps.push({ ...step, file: each.file });
    }
    if (!prune || label === undefined || kind.tagsPath === undefined) continue;
    const names = new Set(wanted.map(({ id }) => id));
    for (const body of found) {
      const id = kind.idOf(body);
      if (names.has(id) || !(await tagsOf(client, kind, body)).includes(label)) continue;
      // A tag of a workflow is one of all its versions: the ones in the files own it.
      gone.unshift({ action: 'delete', kind, id, body, found: body, changes: [] });
    }
  }
  return [...steps, ...gone];
}

/**
 * Asks the server about what the plan stores. Throws a Failure that names the file of everything
 * that it will not take; resolves with its warnings.
 */
export async function checkBeforehand(
  client: ApiClient,
  steps: readonly Step[],
): Promise<string[]> {
  const refusals: string[] = [];
  const warnings: string[] = [];
  for (const { action, kind, id, body, file } of steps) {
    if (action !== 'create' && action !== 'update') continue;
    const place = file ?? `${kind.name} ${id}`;
    const asked = await askBeforehand(client, kind, body);
    if (asked.refusal !== undefined) refusals.push(`${place}: ${asked.refusal}`);
    warnings.push(...asked.warnings.map((each) => `${place}: ${each}`));
  }
  if (refusals.length > 0) throw badInput(`${refusals.join('\n')}\nNothing was changed.`);
  return warnings;
}

/** The step that brings one thing to its wanted state. */
export async function stepOf(
  client: ApiClient,
  { kind, id, body }: Given,
  found: JsonObject | undefined,
  label: string | undefined,
): Promise<Step> {
  if (found === undefined) return { action: 'create', kind, id, body, found, changes: [] };
  const changes = differences(body, found, kind);
  const isSame = changes.length === 0 && kind.tagsPath !== undefined;
  const wantedTags = objectsOf(body['tags']).map(tagText);
  if (label !== undefined && kind.tagsPath !== undefined) wantedTags.push(label);
  if (wantedTags.length > 0) {
    const tags = await tagsOf(client, kind, found);
    changes.push(
      ...wantedTags.filter((tag) => !tags.includes(tag)).map((tag) => `tag: new ${tag}`),
    );
  }
  const step = { kind, id, body, found, changes };
  if (changes.length === 0) return { action: 'unchanged', ...step };
  return { action: 'update', ...step, ...(isSame ? { isTagsOnly: true } : {}) };
}

async function tagsOf(client: ApiClient, kind: Kind, body: JsonObject): Promise<string[]> {
  if (Array.isArray(body['tags']) && body['tags'].length > 0)
    return objectsOf(body['tags']).map(tagText);
  return (await readTags(client, kind, body)) ?? [];
}

export interface CarryOutOptions {
  readonly label: string | undefined;
  readonly say: (sentence: string) => void;
}

/**
 * Does one step, again while the server cannot be reached. A first try may have stored the thing
 * and lost its answer, so a later try looks for it: a second create makes a double or is refused.
 */
export async function carryOut(
  client: ApiClient,
  step: Step,
  { label, say }: CarryOutOptions,
): Promise<void> {
  let isFirst = true;
  await client.patiently(async () => {
    const isKnown = isFirst || step.action !== 'create';
    isFirst = false;
    await tryStep(client, isKnown ? step : { ...step, found: await foundNow(client, step) }, label);
  }, say);
}

async function foundNow(
  client: ApiClient,
  { kind, id, body }: Step,
): Promise<JsonObject | undefined> {
  return (await kind.list(client, [body]))?.find((each) => kind.idOf(each) === id);
}

async function tryStep(client: ApiClient, step: Step, label: string | undefined): Promise<void> {
  const { action, kind, body, found } = step;
  if (action === 'unchanged') return;
  if (action === 'delete') {
    await kind.remove(client, found ?? body);
    return;
  }
  // A run that broke off between a thing and its tags has stored the thing.
  if (step.isTagsOnly !== true) await kind.put(client, body, found);
  const tags = objectsOf(body['tags']).map(tagText);
  for (const tag of label === undefined ? tags : [...tags, label])
    await addTag(client, kind, body, tag);
}
