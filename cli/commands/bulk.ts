// `downbeat bulk ACTION`: one action on many executions. It shows what would be done, asks, and
// then follows the job. The job lives at the server (docs/bulk-jobs.md): when the server or this
// command goes away it goes on, and `bulk follow` shows it again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Refused, type ApiClient } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, Failure } from '../shared/failure.js';
import { wholeNumber } from '../shared/given-json.js';
import { numberOf, objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { isoOf, queryOf } from './executions.js';

type Make = (command: Command) => Context;

const actions = ['retry', 'restart', 'rerun', 'pause', 'resume', 'terminate', 'remove'];
const lookEveryMs = 500;
const barWidth = 30;

interface BulkOptions {
  readonly workflow?: string;
  readonly status?: string;
  readonly query?: string;
  readonly text?: string;
  readonly ids?: readonly string[];
  readonly reason?: string;
  readonly canary?: string;
  readonly rate?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addBulk(program: Command, contextOf: Make, exit: Exit): void {
  const bulk = program
    .command('bulk')
    .helpGroup('Executions:')
    .summary('one action on many executions: preview, then progress');
  for (const action of actions) {
    bulk
      .command(action)
      .summary(`${action} all that are found`)
      .option('-w, --workflow <name>', 'of this workflow')
      .option('--status <status>', 'with this status; several with commas')
      .option('-q, --query <query>', 'condition of the API')
      .option('-t, --text <words>', 'words in input, output or reason')
      .option('--ids <id...>', 'these executions instead of a search')
      .option('-r, --reason <text>', 'why, kept with each execution')
      .option('--canary <number>', 'so many go alone first')
      .option('--rate <number>', 'executions per second')
      .option('--dry-run', 'only show what would be done')
      .option('-y, --yes', 'do not ask')
      .action(async (options: BulkOptions, command: Command) => {
        await start(contextOf(command), action, options, exit);
      });
  }
  bulk
    .command('list')
    .summary('the jobs')
    .action(async (_: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const jobs = objectsOf(await client().get('/api/bulk-jobs'));
      const rows = jobs.map((job) => [
        ...[textOf(job['jobId']), textOf(job['action']), textOf(job['state'])],
        ...[
          `${numberOf(job['done'])} of ${numberOf(job['count'])}`,
          isoOf(numberOf(job['createdAt'])),
        ],
      ]);
      out.table(['JOB', 'ACTION', 'STATE', 'DONE', 'CREATED'], rows, jobs);
    });
  bulk
    .command('follow')
    .summary('show how far a job is, until it ends')
    .argument('<job>', 'id of the job')
    .action(async (id: string, _: unknown, command: Command) => {
      await followJob(contextOf(command), id, exit);
    });
  bulk
    .command('stop')
    .summary('begin nothing further of a job')
    .argument('<job>', 'id of the job')
    .action(async (id: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const job = objectOf(await client().post(`/api/bulk-jobs/${encodeURIComponent(id)}/stop`));
      out.result(job, () => `${id} ${textOf(job['state'])}`);
    });
}

async function start(
  context: Context,
  action: string,
  options: BulkOptions,
  exit: Exit,
): Promise<void> {
  const { out, client } = context;
  const job = await createJob(client(), requestOf(action, options));
  const id = textOf(job['jobId']);
  const count = numberOf(job['count']);
  tellPreview(context, action, job);
  if (options.dryRun === true || count === 0) {
    if (out.isJson) out.result(job, () => '');
    return;
  }
  if (options.yes !== true && !(await out.confirm(`${action} ${count} executions?`, '--yes'))) {
    throw new Failure('Nothing was changed.');
  }
  await begin(context, id);
  await followJob(context, id, exit);
}

/** An answer that is lost may be that of a start which was carried out: the job says so then. */
async function begin({ out, client }: Context, id: string): Promise<void> {
  const path = `/api/bulk-jobs/${encodeURIComponent(id)}`;
  let isAgain = false;
  await client().patiently(
    async () => {
      const isBegun = isAgain && textOf(objectOf(await client().get(path))['state']) !== 'PREVIEW';
      isAgain = true;
      if (!isBegun) await client().post(`${path}/start`);
    },
    (sentence) => out.note(sentence),
  );
}

function requestOf(action: string, options: BulkOptions): JsonObject {
  const { ids, reason, canary, rate, text } = options;
  const query = queryOf(options);
  if (ids === undefined && query === '' && text === undefined) {
    throw badInput(
      `Say which executions: --workflow, --status, --query, --text or --ids. All of them: --query 'status IN (...)'.`,
    );
  }
  if (ids !== undefined && (query !== '' || text !== undefined)) {
    throw badInput(
      '--ids names the executions, --workflow, --status, --query and --text search for them: give one or the other.',
    );
  }
  return {
    action,
    ...(ids === undefined ? { query, ...(text === undefined ? {} : { freeText: text }) } : { ids }),
    ...(reason === undefined ? {} : { reason }),
    ...(canary === undefined ? {} : { canary: wholeNumber(canary, '--canary', 0, 100) }),
    ...(rate === undefined ? {} : { ratePerSecond: wholeNumber(rate, '--rate', 1, 1000) }),
  };
}

async function createJob(client: ApiClient, request: JsonObject): Promise<JsonObject> {
  try {
    return objectOf(await client.post('/api/bulk-jobs', request));
  } catch (error) {
    if (!(error instanceof Refused) || ![404, 405].includes(error.status)) throw error;
    throw new Failure(
      `${client.address.root} has no bulk jobs, which are a part of Downbeat. Find the executions with: downbeat search --json, and give their ids to: downbeat ${String(request['action'])}`,
    );
  }
}

function tellPreview({ out }: Context, action: string, job: JsonObject): void {
  out.note(`${action}: ${numberOf(job['count'])} of ${numberOf(job['matched'])} found executions`);
  for (const each of objectsOf(job['excluded'])) {
    out.note(`  left out: ${numberOf(each['count'])}, ${textOf(each['reason'])}`);
  }
  for (const each of objectsOf(job['sample']).slice(0, 5)) {
    out.note(
      `  such as ${textOf(each['workflowId'])} ${textOf(each['workflowType'])} ${textOf(each['status'])}`,
    );
  }
}

async function followJob(context: Context, id: string, exit: Exit): Promise<void> {
  const { out, client, interrupted } = context;
  const path = `/api/bulk-jobs/${encodeURIComponent(id)}`;
  const region = out.isLive ? out.liveRegion() : undefined;
  let told = '';
  for (;;) {
    const job = await client().patiently(
      async () => objectOf(await client().get(path)),
      (sentence) =>
        out.note(`${sentence} The job goes on at the server: downbeat bulk follow ${id}`),
    );
    const line = barOf(job);
    if (region !== undefined) region.draw([line]);
    else if (line !== told) out.note(line);
    told = line;
    if (!['RUNNING', 'PREVIEW', 'CANARY', 'STOPPING'].includes(textOf(job['state']))) {
      region?.end();
      tellEnd(context, job, exit);
      return;
    }
    await sleep(lookEveryMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) {
      region?.end();
      throw new Failure(
        `The job goes on at the server: downbeat bulk follow ${id} shows it, downbeat bulk stop ${id} stops it.`,
        130,
      );
    }
  }
}

function barOf(job: JsonObject): string {
  const [done, count] = [numberOf(job['done']), numberOf(job['count'])];
  const filled = count === 0 ? barWidth : Math.round((done / count) * barWidth);
  const refused = numberOf(job['refused']);
  const bar = '█'.repeat(filled).padEnd(barWidth, '░');
  return `${bar} ${done}/${count} ${textOf(job['state'])}${refused > 0 ? `, ${refused} refused` : ''}`;
}

function tellEnd({ out }: Context, job: JsonObject, exit: Exit): void {
  const refused = numberOf(job['refused']) + numberOf(job['failedAgain']);
  for (const each of objectsOf(job['errors']).slice(0, 20)) {
    out.note(
      `  ${textOf(each['workflowId'])}: ${textOf(each['reason']) || textOf(each['message'])}`,
    );
  }
  const why = textOf(job['stoppedBecause']);
  out.result(
    job,
    () =>
      `${textOf(job['state'])}: ${numberOf(job['done'])} of ${numberOf(job['count'])} done, ${refused} refused or failed again${why === '' ? '' : ` (${why})`}`,
  );
  if (refused > 0 || textOf(job['state']) === 'STOPPED') exit(1);
}
