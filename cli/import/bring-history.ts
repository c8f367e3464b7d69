// Brings finished executions of the other server into this one, as history to read. Each is one
// call, and one that is here already is not fetched again: an import that broke off is run again.
import { Refused, type ApiClient } from '../shared/api-client.js';
import { exitCodes, Failure } from '../shared/failure.js';
import { isObject, textOf, type JsonObject } from '../shared/json.js';
import { finishedThere, type HistoryScope } from './history.js';

const atOnce = 4;
/** So many are named where they are refused. */
const namedMax = 20;

export interface BroughtHistory {
  readonly brought: number;
  /** Brought by an earlier call. */
  readonly known: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

export async function bringHistory(
  source: ApiClient,
  target: ApiClient,
  { prefix, since, say }: HistoryScope,
): Promise<BroughtHistory> {
  const count = { brought: 0, known: 0 };
  const refused: { id: string; reason: string }[] = [];
  // Rows of a page may come twice.
  const seen = new Set<string>();
  for await (const rows of finishedThere(source, { prefix, since, say })) {
    const wanted = rows.filter((row) => isFirst(row, seen));
    for (let at = 0; at < wanted.length; at += atOnce) {
      const some = wanted.slice(at, at + atOnce).map((row) => textOf(row['workflowId']));
      const outcomes = await Promise.all(some.map((id) => bringOne(source, target, id, say))).catch(
        (error: unknown) => {
          throw brokenOff(error, count);
        },
      );
      for (const [i, outcome] of outcomes.entries()) {
        if (typeof outcome === 'object') refused.push({ id: some[i] as string, ...outcome });
        else if (outcome !== 'gone') count[outcome]++;
      }
    }
    say(`${count.brought} executions brought, ${count.known} were here, ${refused.length} refused`);
  }
  for (const { id, reason } of refused.slice(0, namedMax)) say(`${id}: refused: ${reason}`);
  if (refused.length > namedMax) say(`and ${refused.length - namedMax} more`);
  return { ...count, refused };
}

function isFirst(row: JsonObject, seen: Set<string>): boolean {
  const id = textOf(row['workflowId']);
  if (id === '' || seen.has(id)) return false;
  seen.add(id);
  return true;
}

type Outcome = 'brought' | 'known' | 'gone' | { readonly reason: string };

async function bringOne(
  source: ApiClient,
  target: ApiClient,
  id: string,
  say: (sentence: string) => void,
): Promise<Outcome> {
  const path = `/api/workflow/${encodeURIComponent(id)}`;
  const query = { includeTasks: false };
  const here = await target.patiently(() => target.find(path, { query }), say);
  if (isObject(here) && isObject(here['imported'])) return 'known';
  const execution = await source.patiently(() => source.find(path), say);
  // Removed there in the meantime.
  if (!isObject(execution)) return 'gone';
  const body = { from: source.address.root, execution };
  try {
    const answer = await target.patiently(
      () => target.post('/api/admin/imported-executions', body),
      say,
    );
    return isObject(answer) && answer['isNew'] === false ? 'known' : 'brought';
  } catch (error) {
    if (!isAboutOne(error)) throw lacksRoute(error, target);
    return { reason: error.message };
  }
}

/** The execution is what is wrong, not the server or the right. */
function isAboutOne(error: unknown): error is Refused {
  return error instanceof Refused && [400, 409, 413, 422].includes(error.status);
}

function lacksRoute(error: unknown, { address }: ApiClient): unknown {
  if (!(error instanceof Refused) || ![404, 405].includes(error.status)) return error;
  return new Failure(
    `${address.root} does not take executions of other servers: it is no Downbeat, or an earlier version. --history FOLDER writes them as files.`,
    exitCodes.badInput,
  );
}

function brokenOff(error: unknown, { brought }: { readonly brought: number }): unknown {
  if (!(error instanceof Failure) || error.code !== exitCodes.unreachable) return error;
  return new Failure(
    `${error.message}\n${brought} executions were brought. The same command goes on from here.`,
    error.code,
  );
}
