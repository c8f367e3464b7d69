// `downbeat import --from URL`: brings what a running Conductor or Orkes server has to this one, by
// the API of both. A plan is printed before anything changes; what is here already and the same
// stays as it is, so the command may run again at any time, also after it broke off.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { workflow } from '../apply/kinds.js';
import { carryOut } from '../apply/plan.js';
import { differencesPage } from '../import/differences.js';
import { gather } from '../import/gather.js';
import { handOver, openThere, type OpenThere } from '../import/hand-over.js';
import { bringHistory, type BroughtHistory } from '../import/bring-history.js';
import { writeHistory, type HistoryResult, type HistoryScope } from '../import/history.js';
import { importKinds } from '../import/import-kinds.js';
import { planImport, type ImportPlan, type ImportStep } from '../import/plan-import.js';
import { planText, shownPlan } from '../import/show-plan.js';
import { ApiClient, Refused, type ServerAddress } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import { wholeNumber } from '../shared/given-json.js';
import { textOf } from '../shared/json.js';
import { readProfiles, rootOf } from '../shared/profiles.js';

interface ImportOptions {
  readonly from?: string;
  readonly fromKey?: string;
  readonly kind?: readonly string[];
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly newOnly?: boolean;
  readonly asTheyAre?: boolean;
  readonly follow?: boolean;
  readonly once?: boolean;
  readonly every: string;
  readonly since?: string;
  /** True: into this server. */
  readonly history?: string | true;
  readonly differences?: boolean;
}

const keyVariables = 'CONDUCTOR_FROM_AUTH_KEY and CONDUCTOR_FROM_AUTH_SECRET';

export function addImport(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('import')
    .helpGroup('Definitions:')
    .summary('bring what a running Conductor or Orkes server has')
    .description(
      `Brings ${importKinds.map(({ folder }) => folder).join(', ')} from another server, by its API. The plan is printed first, with what each definition does differently here. What is the same stays as it is, so import may run again at any time. Schedules and handlers are stored at rest, so that they do not run at both servers; --follow hands them over.`,
    )
    .option('--from <url>', 'address of the other server, or the name of a profile')
    .option(
      '--from-key <id>',
      'id of a key of the other server; its secret is taken from CONDUCTOR_FROM_AUTH_SECRET',
    )
    .option('--kind <kind...>', `only these: ${importKinds.map(({ name }) => name).join(', ')}`)
    .option('--name <prefix>', 'only what has a name that begins so')
    .option('--dry-run', 'print the plan and change nothing')
    .option('--new-only', 'what is here already stays as it is')
    .option('--as-they-are', 'schedules and handlers run here at once: the other server is off')
    .option('--follow', 'hand schedules and handlers over, and tell what is still open there')
    .option('--once', 'with --follow: tell it once and end')
    .option('--every <seconds>', 'with --follow: how often to look', '10')
    .option(
      '--since <time>',
      'with --follow: when things were handed over, if by an earlier call; with --history: only executions that started since',
    )
    .option(
      '--history [folder]',
      'bring finished executions of the other server as history to read; with a folder: as files',
    )
    .option('--differences', 'print the list of what definitions do differently here')
    .action(async (options: ImportOptions, command: Command) => {
      const context = contextOf(command);
      if (options.differences === true) {
        context.out.line(differencesPage().trimEnd());
        return;
      }
      exit(await runImport(context, options));
    });
}

async function runImport(context: Context, options: ImportOptions): Promise<number> {
  const { out, env, client } = context;
  const everyMs = wholeNumber(options.every, '--every', 1, 3600) * 1000;
  checkOptions(options);
  const since = sinceOf(options.since);
  const source = new ApiClient(sourceOf(options, env));
  const target = client();
  if (source.address.root === target.address.root)
    throw badInput('--from and the server are the same. Nothing was changed.');
  const prefix = options.name ?? '';
  const say = (sentence: string): void => out.note(sentence);
  const gathered = await source.patiently(
    () => gather(source, { kinds: options.kind, prefix }),
    say,
  );
  const plan = await target.patiently(
    () =>
      planImport(target, gathered, {
        asTheyAre: options.asTheyAre === true,
        newOnly: options.newOnly === true,
      }),
    say,
  );
  out.note(planText(out, plan, gathered.left));
  if (options.dryRun === true) {
    if (out.isJson) out.result(shownPlan(plan, gathered.left), () => '');
    return exitCodes.done;
  }
  const { done, refused } = await carryOutPlan(context, target, plan);
  const history = await keepHistory(options.history, source, target, { prefix, since, say });
  const once = options.once === true;
  const followed =
    options.follow === true
      ? await follow(context, { source, target, plan, prefix, everyMs, since, once })
      : undefined;
  const unchanged = plan.steps.filter(({ action }) => action === 'unchanged').length;
  out.result(
    { ...shownPlan(plan, gathered.left), done, unchanged, refused, history, followed },
    () => `${done} done, ${unchanged} unchanged, ${refused.length} refused`,
  );
  const isAnyRefused = refused.length > 0 || (history?.refused.length ?? 0) > 0;
  return isAnyRefused ? exitCodes.failed : exitCodes.done;
}

/** Finished executions of the other server, into this one or a folder; undefined: not asked for. */
async function keepHistory(
  into: ImportOptions['history'],
  source: ApiClient,
  target: ApiClient,
  scope: HistoryScope,
): Promise<BroughtHistory | (HistoryResult & { readonly refused: readonly [] }) | undefined> {
  if (into === undefined) return undefined;
  if (into === true) return await bringHistory(source, target, scope);
  return { ...(await writeHistory(source, into, scope)), refused: [] };
}

function sinceOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const at = Date.parse(given);
  if (Number.isFinite(at)) return at;
  throw badInput(
    `--since takes a time such as 2026-11-25T09:00:00Z, not '${given}'. Nothing was changed.`,
  );
}

function checkOptions(options: ImportOptions): void {
  const { kind, asTheyAre, follow: follows, once, dryRun, history, since } = options;
  const unknown = kind?.find((each) => !importKinds.some(({ name }) => name === each));
  if (unknown !== undefined)
    throw badInput(
      `--kind must be one of ${importKinds.map(({ name }) => name).join(', ')}, not '${unknown}'. Nothing was changed.`,
    );
  if (asTheyAre === true && follows === true)
    throw badInput(
      '--as-they-are is for a server that is off, --follow for one that runs: give one of them. Nothing was changed.',
    );
  if (once === true && follows !== true)
    throw badInput('--once goes with --follow. Nothing was changed.');
  if (since !== undefined && (follows === true) === (history !== undefined))
    throw badInput(
      '--since says since when things are handed over (--follow) or which executions are brought (--history): give it with one of them. Nothing was changed.',
    );
  if (dryRun === true && history !== undefined)
    throw badInput(
      '--dry-run changes nothing, --history brings executions: give one of them. Nothing was changed.',
    );
  if (dryRun === true && follows === true)
    throw badInput(
      '--dry-run changes nothing, --follow hands schedules over: give one of them. Nothing was changed.',
    );
}

/** The other server, with its key. */
export function sourceOf(
  { from, fromKey }: Pick<ImportOptions, 'from' | 'fromKey'>,
  env: NodeJS.ProcessEnv,
): ServerAddress {
  if (from === undefined || from === '')
    throw badInput(
      'Say where things come from: --from http://conductor.example.org:8080. Nothing was changed.',
    );
  const profile = readProfiles(env).profiles[from];
  const keyId = fromKey ?? env['CONDUCTOR_FROM_AUTH_KEY'] ?? profile?.keyId;
  const keySecret = env['CONDUCTOR_FROM_AUTH_SECRET'] ?? profile?.keySecret;
  if (fromKey !== undefined && (keySecret ?? '') === '')
    throw badInput('Set CONDUCTOR_FROM_AUTH_SECRET to the secret of the key. Nothing was changed.');
  const token = env['CONDUCTOR_FROM_AUTH_TOKEN'];
  return {
    root: rootOf(profile?.server ?? from),
    ...(keyId === '' || keySecret === '' ? {} : { keyId, keySecret }),
    ...(token === undefined || token === '' ? {} : { token }),
    options: { address: '--from', key: keyVariables },
  };
}

interface CarriedOut {
  readonly done: number;
  readonly refused: readonly { kind: string; id: string; reason: string }[];
}

/** Carries out the plan. A refused step is told and left out; a server that goes away ends it. */
async function carryOutPlan(
  { out }: Context,
  target: ApiClient,
  { steps }: ImportPlan,
): Promise<CarriedOut> {
  const todo = steps.filter(({ action }) => action !== 'unchanged');
  const refused: { kind: string; id: string; reason: string }[] = [];
  const say = (sentence: string): void => out.note(sentence);
  for (const [index, step] of todo.entries()) {
    const { kind, id, action } = step;
    try {
      await carryOut(target, step, { label: undefined, say });
      out.note(`${index + 1}/${todo.length} ${kind.name} ${id}: ${action}d`);
    } catch (error) {
      const isRefusal = error instanceof Refused && error.code !== exitCodes.unreachable;
      if (!isRefusal || error.status === 401) throw brokenOff(error, step, index, todo.length);
      refused.push({ kind: kind.name, id, reason: error.message });
      out.note(`${index + 1}/${todo.length} ${kind.name} ${id}: refused: ${error.message}`);
    }
  }
  return { done: todo.length - refused.length, refused };
}

function brokenOff(error: unknown, step: ImportStep, done: number, all: number): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(
    `${error.message}\n${done} of ${all} are through; ${step.kind.name} ${step.id} and what follows are not. The same command goes on from here.`,
    error.code,
  );
}

interface Following {
  readonly source: ApiClient;
  readonly target: ApiClient;
  readonly plan: ImportPlan;
  readonly prefix: string;
  readonly everyMs: number;
  readonly once: boolean;
  /** Epoch ms of the hand-over; absent: now. */
  readonly since: number | undefined;
}

/** Hands over, then looks until nothing is open there, or Ctrl-C. */
async function follow(
  { out, interrupted }: Context,
  { source, target, plan, prefix, everyMs, once, since = Date.now() }: Following,
): Promise<object> {
  const say = (sentence: string): void => out.note(sentence);
  const handedOver = await source.patiently(() => handOver(source, target, { prefix, say }), say);
  const names = [
    ...new Set(
      plan.steps.filter(({ kind }) => kind === workflow).map(({ body }) => textOf(body['name'])),
    ),
  ];
  let told = '';
  for (;;) {
    const state = await source.patiently(() => openThere(source, names, since), say);
    const text = openText(state);
    if (text !== told) say(text);
    told = text;
    if (state.total === 0 || once || interrupted.aborted) return { handedOver, ...state };
    await sleep(everyMs, undefined, { signal: interrupted }).catch(() => undefined);
  }
}

function openText({ open, total, startedSince }: OpenThere): string {
  const names = Object.entries(open).map(([name, count]) => `${name} ${count}`);
  const lines = [
    total === 0 ? 'Nothing is open there.' : `${total} open there: ${names.join(', ')}`,
    ...startedSince.map(
      ({ id, workflow: name }) =>
        `started there after the hand-over: ${name} ${id}; its caller still names that server`,
    ),
  ];
  return lines.join('\n');
}
