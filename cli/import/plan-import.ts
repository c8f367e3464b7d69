// The plan of an import: for each thing of the other server what has to be done here, what would
// be refused, and what behaves differently. Nothing is changed while it is made.
import { askBeforehand } from '../apply/ask-beforehand.js';
import { handler, rightsOf, schedule, type Kind } from '../apply/kinds.js';
import type { Given } from '../apply/files.js';
import { stepOf, type Step } from '../apply/plan.js';
import { Refused, type ApiClient } from '../shared/api-client.js';
import { objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { differencesOf, type Found, type TargetFacts } from './differences.js';
import type { Gathered } from './gather.js';
import { importKinds, isGrant } from './import-kinds.js';

export interface ImportStep extends Step {
  /** Why the server will not take it; absent: it will. */
  readonly refusal?: string;
  readonly differences: readonly Found[];
  /** The warnings of the server when it is asked beforehand. */
  readonly warnings: readonly string[];
}

export interface PlanImportOptions {
  /** Schedules and handlers keep the state that they have there. */
  readonly asTheyAre: boolean;
  /** Leaves things that are here already as they are. */
  readonly newOnly: boolean;
}

export interface ImportPlan {
  readonly steps: readonly ImportStep[];
  /** Secrets that are there and not here. */
  readonly missingSecrets: readonly string[];
}

export async function planImport(
  target: ApiClient,
  gathered: Gathered,
  options: PlanImportOptions,
): Promise<ImportPlan> {
  const facts = await factsOf(target, gathered);
  const steps: ImportStep[] = [];
  for (const kind of importKinds) {
    const wanted = gathered.given.filter((each) => each.kind === kind);
    if (wanted.length === 0) continue;
    const found = await kind.list(
      target,
      wanted.map(({ body }) => body),
    );
    const known = new Map(found?.map((body) => [kind.idOf(body), body]));
    for (const given of wanted) {
      steps.push(await importStep(target, given, known.get(given.id), { ...options, facts }));
    }
  }
  const missingSecrets = gathered.secrets.filter((name) => !facts.secrets.has(name));
  return { steps, missingSecrets };
}

async function importStep(
  target: ApiClient,
  given: Given,
  found: JsonObject | undefined,
  { asTheyAre, newOnly, facts }: PlanImportOptions & { readonly facts: TargetFacts },
): Promise<ImportStep> {
  const { kind, id } = given;
  const body = wantedOf(kind, given.body, found, asTheyAre);
  const differences = differencesOf(kind.name, body, facts);
  if (newOnly && found !== undefined) {
    return { action: 'unchanged', kind, id, body, found, changes: [], differences, warnings: [] };
  }
  const step = await stepOf(target, { ...given, body }, found, undefined);
  if (step.action === 'unchanged') return { ...step, differences, warnings: [] };
  const checked = await askBeforehand(target, kind, body);
  return { ...step, differences, ...checked };
}

/**
 * Both servers must not run the same schedule, nor take the same events: what is new here rests
 * until it is handed over, and what is here already keeps its state.
 */
function wantedOf(
  kind: Kind,
  body: JsonObject,
  found: JsonObject | undefined,
  asTheyAre: boolean,
): JsonObject {
  if (isGrant(kind)) {
    const rights = new Set([...rightsOf(body), ...rightsOf(found ?? {})]);
    return { ...body, access: [...rights].sort() };
  }
  if (asTheyAre) return body;
  if (kind === schedule) {
    const { paused, pausedReason } = found ?? { paused: true };
    const reason = paused === true && pausedReason !== undefined ? { pausedReason } : {};
    return { ...body, paused: paused === true, ...reason };
  }
  if (kind === handler) return { ...body, active: found?.['active'] === true };
  return body;
}

async function factsOf(target: ApiClient, gathered: Gathered): Promise<TargetFacts> {
  const names = await listOr(target, 'POST', '/api/secrets');
  const variables = await listOr(target, 'GET', '/api/environment');
  const brought = gathered.given.filter(({ kind }) => kind.name === 'variable').map(({ id }) => id);
  return {
    secrets: new Set(names.map(String)),
    environment: new Set([...objectsOf(variables).map((each) => textOf(each['name'])), ...brought]),
  };
}

async function listOr(target: ApiClient, method: string, path: string): Promise<unknown[]> {
  try {
    const found = await target.call(method, path);
    return Array.isArray(found) ? (found as unknown[]) : [];
  } catch (error) {
    if (error instanceof Refused && [403, 404, 405].includes(error.status)) return [];
    throw error;
  }
}
