// Commands that show and control executions: watch, why, logs, search, and the controls (pause,
// resume, retry, restart, rerun, terminate, signal).
import type { Command } from 'commander';
import { Refused, type ApiClient } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, codeOfStatus, Failure } from '../shared/failure.js';
import { givenObject, wholeNumber } from '../shared/given-json.js';
import { numberOf, objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { eachOf } from '../shared/each-of.js';
import { follow, readExecution, treeText } from '../executions/follow.js';
import { duration } from '../executions/tree.js';
import { whyOf } from '../executions/why.js';

type Make = (command: Command) => Context;

const group = 'Executions:';
const idPath = (id: string): string => `/api/workflow/${encodeURIComponent(id)}`;

export function addExecutions(program: Command, contextOf: Make, exit: Exit): void {
  addWatch(program, contextOf, exit);
  addWhy(program, contextOf);
  addLogs(program, contextOf);
  addSearch(program, contextOf);
  addControls(program, contextOf);
  addSignal(program, contextOf);
}

function addWatch(program: Command, contextOf: Make, exit: Exit): void {
  program
    .command('watch')
    .helpGroup(group)
    .summary('show an execution until it ends')
    .description(
      'Shows the tasks of an execution until it ends; the exit code tells how it ended, as with run --follow.',
    )
    .argument('<id>', 'id of the execution')
    .option('--once', 'show it as it is now, and end')
    .action(async (id: string, options: { once?: boolean }, command: Command) => {
      const context = contextOf(command);
      const { out, client } = context;
      if (options.once === true) {
        const execution = await readExecution(client(), id);
        out.result(execution, () => treeText(out, execution, new Map(), Date.now()).join('\n'));
        return;
      }
      const execution = await follow(context, id);
      const status = textOf(execution['status']);
      if (out.isJson) out.result(execution, () => '');
      exit(codeOfStatus(status));
    });
}

function addWhy(program: Command, contextOf: Make): void {
  program
    .command('why')
    .helpGroup(group)
    .summary('why an execution does not go on, and what would move it')
    .argument('<id>', 'id of the execution')
    .action(async (id: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const answer = await whyOf(client(), id);
      out.result(answer, () => {
        const reasons = objectsOf(answer['waitsFor']);
        const isSaid = reasons.length === 1 && reasons[0]?.['reason'] === answer['reason'];
        const lines = reasons.map((each) => {
          const moves = `  what moves it: ${textOf(each['moves'])}`;
          return isSaid ? moves : `- ${textOf(each['reason'])}\n${moves}`;
        });
        return [textOf(answer['reason']), ...lines].join('\n');
      });
    });
}

function addLogs(program: Command, contextOf: Make): void {
  program
    .command('logs')
    .helpGroup(group)
    .summary('what the workers logged')
    .argument('<id>', 'id of an execution')
    .option('--task <ref>', 'of the task with this reference name only')
    .action(async (id: string, options: { task?: string }, command: Command) => {
      const { out, client } = contextOf(command);
      const execution = await readExecution(client(), id);
      const tasks = objectsOf(execution['tasks']).filter(
        (task) => options.task === undefined || textOf(task['referenceTaskName']) === options.task,
      );
      if (options.task !== undefined && tasks.length === 0) {
        throw new Failure(`${id} has no task ${options.task}.`, 5);
      }
      const lines: { at: number; ref: string; log: string }[] = [];
      for (const task of tasks) {
        const path = `/api/tasks/${encodeURIComponent(textOf(task['taskId']))}/log`;
        for (const each of objectsOf(await client().get(path))) {
          const ref = textOf(task['referenceTaskName']);
          lines.push({ at: numberOf(each['createdTime']), ref, log: textOf(each['log']) });
        }
      }
      lines.sort((a, b) => a.at - b.at);
      const rows = lines.map(({ at, ref, log }) => [isoOf(at), ref, log]);
      out.table(['TIME', 'TASK', 'LINE'], rows, lines);
    });
}

interface SearchOptions {
  readonly workflow?: string;
  readonly status?: string;
  readonly query?: string;
  readonly text?: string;
  readonly limit: string;
  readonly sort: string;
}

/** The words of a search, as `query` of the API. */
export function queryOf({ workflow, status, query }: Partial<SearchOptions>): string {
  const parts = [
    query ?? '',
    workflow === undefined ? '' : `workflowType = "${quoted(workflow, '--workflow')}"`,
    status === undefined ? '' : statusPart(status),
  ];
  return parts.filter((part) => part !== '').join(' AND ');
}

const statuses = ['RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED'];

function statusPart(given: string): string {
  const names = given.toUpperCase().split(',');
  const unknown = names.find((name) => !statuses.includes(name));
  if (unknown !== undefined) {
    throw badInput(
      `--status must be one of ${statuses.join(', ')}, or several with commas, not '${unknown}'.`,
    );
  }
  return names.length === 1
    ? `status = "${given.toUpperCase()}"`
    : `status IN (${names.join(',')})`;
}

function quoted(text: string, option: string): string {
  if (!text.includes('"')) return text;
  throw badInput(`${option} may not hold a quotation mark: write the condition in --query.`);
}

function addSearch(program: Command, contextOf: Make): void {
  program
    .command('search')
    .helpGroup(group)
    .summary('find executions')
    .option('-w, --workflow <name>', 'of this workflow')
    .option(
      '--status <status>',
      'RUNNING, PAUSED, COMPLETED, FAILED, TIMED_OUT or TERMINATED; several with commas',
    )
    .option('-q, --query <query>', 'condition of the API, such as correlationId = "order-7"')
    .option('-t, --text <words>', 'words in input, output or reason')
    .option('-n, --limit <number>', 'most rows', '20')
    .option('--sort <field:order>', 'order', 'startTime:DESC')
    .action(async (options: SearchOptions, command: Command) => {
      const { out, client } = contextOf(command);
      const size = wholeNumber(options.limit, '--limit', 1, 1000);
      const query = {
        query: queryOf(options),
        freeText: options.text ?? '*',
        start: 0,
        size,
        sort: options.sort,
      };
      const answer = objectOf(await client().get('/api/workflow/search', { query }));
      const found = objectsOf(answer['results']);
      out.table(
        ['ID', 'WORKFLOW', 'STATUS', 'STARTED', 'TOOK', 'REASON'],
        found.map(rowOf),
        answer,
      );
      const total = numberOf(answer['totalHits']);
      if (total > found.length) out.note(`${found.length} of ${total}; --limit shows more.`);
    });
}

function rowOf(found: JsonObject): string[] {
  const ms = numberOf(found['executionTime']);
  return [
    textOf(found['workflowId']),
    `${textOf(found['workflowType'])}:${textOf(found['version'])}`,
    textOf(found['status']),
    textOf(found['startTime']),
    ms > 0 ? duration(ms) : '',
    textOf(found['reasonForIncompletion']),
  ];
}

export function isoOf(at: number): string {
  return at > 0 ? new Date(at).toISOString() : '';
}

interface Control {
  readonly name: string;
  readonly summary: string;
  readonly method: 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly done: string;
  readonly takesReason?: boolean;
}

const controls: readonly Control[] = [
  {
    name: 'pause',
    summary: 'let nothing follow until it is resumed',
    method: 'PUT',
    path: '/pause',
    done: 'is paused',
  },
  {
    name: 'resume',
    summary: 'go on with a paused execution',
    method: 'PUT',
    path: '/resume',
    done: 'goes on',
  },
  {
    name: 'retry',
    summary: 'try the failed tasks again',
    method: 'POST',
    path: '/retry',
    done: 'tries again',
  },
  {
    name: 'restart',
    summary: 'begin again from the start',
    method: 'POST',
    path: '/restart',
    done: 'begins again',
  },
  {
    name: 'terminate',
    summary: 'end it now',
    method: 'DELETE',
    path: '',
    done: 'is terminated',
    takesReason: true,
  },
];

function addControls(program: Command, contextOf: Make): void {
  for (const { name, summary, method, path, done, takesReason } of controls) {
    const command = program.command(name).helpGroup(group).summary(summary);
    command
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .argument('<id...>', 'ids of executions');
    if (takesReason === true) command.option('-r, --reason <text>', 'why, kept with the execution');
    command.action(async (ids: string[], options: { reason?: string }, self: Command) => {
      const { out, client } = contextOf(self);
      const query = { reason: options.reason };
      await eachOf(out, ids, {
        work: (id) => client().call(method, `${idPath(id)}${path}`, { query }),
        shown: (all) => all.map((workflowId) => ({ workflowId, action: name })),
        done,
      });
    });
  }
  program
    .command('rerun')
    .helpGroup(group)
    .summary('run again from one of its tasks')
    .argument('<id>', 'id of the execution')
    .option('--from <ref>', 'reference name of the task to begin with; the first by default')
    .option('-i, --input <json>', 'new input of that task, or of the execution without --from')
    .action(async (id: string, options: { from?: string; input?: string }, command: Command) => {
      const { out, client, stdin } = contextOf(command);
      const input =
        options.input === undefined
          ? undefined
          : await givenObject(options.input, '--input', stdin);
      const body: JsonObject = {};
      if (options.from === undefined) {
        if (input !== undefined) body['workflowInput'] = input;
      } else {
        const { from } = options;
        const execution = await readExecution(client(), id);
        const task = objectsOf(execution['tasks']).findLast(
          (each) => textOf(each['referenceTaskName']) === from,
        );
        if (task === undefined) throw new Failure(`${id} has no task ${from}.`, 5);
        body['reRunFromTaskId'] = task['taskId'];
        if (input !== undefined) body['taskInput'] = input;
      }
      await client().post(`${idPath(id)}/rerun`, body);
      out.result({ workflowId: id, action: 'rerun' }, () => `${id} runs again`);
    });
}

function addSignal(program: Command, contextOf: Make): void {
  program
    .command('signal')
    .helpGroup(group)
    .summary('end the task that an execution waits in (WAIT, HUMAN, YIELD)')
    .argument('<id>', 'id of the execution')
    .option('--task <ref>', 'reference name of the task; by default the one that waits')
    .option('--status <status>', 'COMPLETED, FAILED or FAILED_WITH_TERMINAL_ERROR', 'COMPLETED')
    .option('-o, --output <json>', 'output of the task: JSON, @file or @-', '{}')
    .action(
      async (
        id: string,
        options: { task?: string; status: string; output: string },
        command: Command,
      ) => {
        const { out, client, stdin } = contextOf(command);
        const known = ['COMPLETED', 'FAILED', 'FAILED_WITH_TERMINAL_ERROR', 'IN_PROGRESS'];
        const status = options.status.toUpperCase();
        if (!known.includes(status))
          throw badInput(`--status must be one of ${known.join(', ')}, not '${options.status}'.`);
        const output = await givenObject(options.output, '--output', stdin);
        await signal(client(), { id, status, output, task: options.task });
        out.result(
          { workflowId: id, status },
          () => `${id} ${options.task ?? 'the task that waited'}: ${status}`,
        );
      },
    );
}

/** Ends the named task, or the one that waits. */
async function signal(
  client: ApiClient,
  { id, status, output, task }: Signal & { readonly task: string | undefined },
): Promise<void> {
  const at = `/api/tasks/${encodeURIComponent(id)}`;
  if (task !== undefined) {
    await client.post(`${at}/${encodeURIComponent(task)}/${status}`, output);
    return;
  }
  try {
    await client.post(`${at}/${status}/signal`, output);
  } catch (error) {
    if (!(error instanceof Refused) || ![404, 405].includes(error.status)) throw error;
    // A server without signals knows tasks by their reference names.
    const waiting = await waitingTask(client, id);
    if (waiting === undefined) throw error;
    await client.post(`${at}/${encodeURIComponent(waiting)}/${status}`, output);
  }
}

interface Signal {
  readonly id: string;
  readonly status: string;
  readonly output: JsonObject;
}

/** Reference name of the first open task that waits for a signal. */
async function waitingTask(client: ApiClient, id: string): Promise<string | undefined> {
  const execution = await readExecution(client, id);
  const waiting = objectsOf(execution['tasks']).find(
    (task) =>
      ['WAIT', 'HUMAN', 'YIELD'].includes(textOf(task['taskType'])) &&
      ['SCHEDULED', 'IN_PROGRESS'].includes(textOf(task['status'])),
  );
  return waiting === undefined ? undefined : textOf(waiting['referenceTaskName']);
}
