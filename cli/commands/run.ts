// `downbeat run NAME`: starts an execution, and with --follow shows it until it ends.
import type { Command } from 'commander';
import type { Context, Exit } from '../shared/context.js';
import { badInput, codeOfStatus } from '../shared/failure.js';
import { givenObject, wholeNumber } from '../shared/given-json.js';
import { objectOf, textOf, type JsonObject } from '../shared/json.js';
import { follow } from '../executions/follow.js';

interface RunOptions {
  readonly version?: string;
  readonly input?: string;
  readonly set?: readonly string[];
  readonly correlationId?: string;
  readonly priority?: string;
  readonly idempotencyKey?: string;
  readonly follow?: boolean;
}

export function addRun(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('run')
    .helpGroup('Executions:')
    .summary('start an execution')
    .description(
      'Starts an execution and prints its id. With --follow its tasks are shown until it ends: then its output is printed, and the exit code tells how it ended (0 completed, 10 failed, 11 timed out, 12 terminated).',
    )
    .argument('<name>', 'name of the workflow')
    .option('-v, --version <number>', 'version of the definition; the newest by default')
    .option('-i, --input <json>', 'input: JSON, @file (JSON or YAML), or @- for standard input')
    .option('-s, --set <name=value...>', 'one member of the input; the value is JSON or text')
    .option('--correlation-id <id>', 'id of yours to find it by')
    .option('--priority <number>', '0 to 99')
    .option('--idempotency-key <key>', 'a start with the same key finds the same execution')
    .option('-f, --follow', 'show its tasks until it ends')
    .action(async (name: string, options: RunOptions, command: Command) => {
      await run(contextOf(command), name, options, exit);
    });
}

async function run(context: Context, name: string, options: RunOptions, exit: Exit): Promise<void> {
  const { out, client } = context;
  const request = await requestOf(context, name, options);
  // A start without a key is not sent twice: it might start two executions.
  const id = String(await client().post('/api/workflow', request));
  if (options.follow !== true) {
    out.result({ workflowId: id }, () => id);
    return;
  }
  out.note(`${name} ${id}`);
  const execution = await follow(context, id);
  const status = textOf(execution['status']);
  const output = objectOf(execution['output']);
  const result = { workflowId: id, status, output, reason: execution['reasonForIncompletion'] };
  out.result(result, () => JSON.stringify(output, undefined, 2));
  exit(codeOfStatus(status));
}

async function requestOf(context: Context, name: string, options: RunOptions): Promise<JsonObject> {
  const { version, input, set = [], correlationId, priority, idempotencyKey } = options;
  const given = input === undefined ? {} : await givenObject(input, '--input', context.stdin);
  return {
    name,
    input: { ...given, ...membersOf(set) },
    ...(version === undefined
      ? {}
      : { version: wholeNumber(version, '--version', 0, 2 ** 31 - 1) }),
    ...(priority === undefined ? {} : { priority: wholeNumber(priority, '--priority', 0, 99) }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(idempotencyKey === undefined
      ? {}
      : { idempotencyKey, idempotencyStrategy: 'RETURN_EXISTING' }),
  };
}

/** `amount=3` is the number, `sku=A-17` the text. */
function membersOf(set: readonly string[]): JsonObject {
  const members: JsonObject = {};
  for (const each of set) {
    const at = each.indexOf('=');
    if (at < 1) throw badInput(`--set takes name=value, not '${each}'.`);
    const text = each.slice(at + 1);
    members[each.slice(0, at)] = jsonOr(text);
  }
  return members;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
