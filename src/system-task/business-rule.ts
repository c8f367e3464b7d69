// BUSINESS_RULE (semantics 4.23): a file of rules is read from an address; the rules whose
// conditions hold for the given inputs say the outputs. A file is kept for the time that the first
// task that loads it asks for.
import { isMap, type Json, type JsonMap } from '../model/json.js';
import { isGiven, missingInputs } from '../engine/task-types/checks.js';
import { Lru } from '../std/lru.js';
import { OutboundError } from './outbound-error.js';
import { holds, resultOf } from './rules/condition.js';
import {
  readRuleTable,
  RuleFileError,
  ruleFormatOf,
  type Cell,
  type RuleTable,
} from './rules/rule-table.js';
import {
  failed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskRun,
} from './system-task.js';

/** Rule files kept by one server. */
const filesKeptMax = 100;
const cacheMinutes = 60;
const readTimeoutMs = 30_000;

export const businessRuleTask: SystemTaskType = {
  ...ordinaryType,
  name: 'BUSINESS_RULE',
  check: (config, rules) => missingInputs(config, ['ruleFileLocation'], rules),
  create: createBusinessRuleTask,
};

interface KeptFile {
  readonly table: RuleTable;
  /** Monotonic ms. */
  readonly until: number;
}

export function createBusinessRuleTask(
  services: Pick<SystemTaskServices, 'client' | 'clock'>,
): SystemTask {
  const files = new Lru<string, KeptFile>(filesKeptMax);
  return {
    ...ordinaryRun,
    async run(run) {
      const { input } = run;
      const strategy = input['executionStrategy'] ?? 'FIRE_FIRST';
      if (strategy !== 'FIRE_FIRST' && strategy !== 'FIRE_ALL') {
        return failed('executionStrategy must be FIRE_FIRST or FIRE_ALL');
      }
      const inputs = input['inputColumns'];
      if (!isMap(inputs)) return failed('inputColumns must be a map of values by column');
      const outputs = [input['outputColumns'] ?? []].flat();
      if (!outputs.every((name) => typeof name === 'string')) {
        return failed('outputColumns must be a list of names of columns');
      }
      try {
        const table = await tableOf(services, files, run);
        const matched = fired(table, inputs, strategy === 'FIRE_FIRST').map((row) =>
          outputOf(table, row, outputs as string[]),
        );
        const result = Object.assign({}, ...matched) as JsonMap;
        return { status: 'COMPLETED', output: { result, matchedRows: matched } };
      } catch (error) {
        if (error instanceof OutboundError || error instanceof RuleFileError) {
          return failed(`The rule file cannot be read: ${error.message}`);
        }
        throw error;
      }
    },
  };
}

/** The rows whose conditions hold. Columns that are not among the inputs are not asked. */
function fired(table: RuleTable, inputs: JsonMap, onlyFirst: boolean): (readonly Cell[])[] {
  const asked = Object.entries(inputs).flatMap(([name, value]) => {
    const column = table.columns.get(name);
    return column === undefined ? [] : [{ column, value }];
  });
  const matches = (row: readonly Cell[]): boolean =>
    asked.every(({ column, value }) => holds(row[column] ?? null, value));
  if (!onlyFirst) return table.rows.filter(matches);
  const first = table.rows.find(matches);
  return first === undefined ? [] : [first];
}

function outputOf(table: RuleTable, row: readonly Cell[], names: readonly string[]): JsonMap {
  return Object.fromEntries(
    names.map((name) => [name, resultOf(row[table.columns.get(name) ?? -1])]),
  );
}

async function tableOf(
  { client, clock }: Pick<SystemTaskServices, 'client' | 'clock'>,
  files: Lru<string, KeptFile>,
  { input, signal }: TaskRun,
): Promise<RuleTable> {
  const address = String(input['ruleFileLocation'] ?? '');
  if (!URL.canParse(address)) throw new RuleFileError('ruleFileLocation is no address');
  const kept = files.get(address);
  if (kept !== undefined && clock.monotonic() < kept.until) return kept.table;
  const url = new URL(address);
  const answer = await client.request({
    ...{ url, method: 'GET', body: undefined, headers: new Map(), followRedirects: true, signal },
    connectTimeoutMs: readTimeoutMs,
    readTimeoutMs,
  });
  if (answer.statusCode !== 200) {
    throw new RuleFileError(`${address} answered with status ${answer.statusCode}`);
  }
  const type = Object.entries(answer.headers).find(([name]) => /^content-type$/i.test(name));
  const format = ruleFormatOf(url, type?.[1][0] ?? '');
  if (format === undefined) {
    throw new RuleFileError('neither its name nor its content type says csv or xlsx');
  }
  const table = await readRuleTable(answer.body, format);
  files.set(address, { table, until: clock.monotonic() + lifeMs(input['cacheTimeoutMinutes']) });
  return table;
}

function lifeMs(minutes: Json | undefined): number {
  const given = isGiven(minutes) ? Number(minutes) : cacheMinutes;
  return (given >= 0 ? given : cacheMinutes) * 60_000;
}
