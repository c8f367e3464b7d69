// BUSINESS_RULE (semantics 4.23): a file of rules is read from an address; the rules whose
// conditions hold for the given inputs say the outputs.
import {
  reachesNothing,
  isMap,
  type Json,
  type JsonMap,
  toJsonText,
  missingInputs,
  inSlices,
  itemsPerSlice,
  type Steps,
  isOutboundError,
  failed,
  type PluginTask,
  type PluginServices,
  type PluginTaskType,
} from '@downbeat/plugin';
import { holds, resultOf } from './condition.js';
import { RuleFiles } from './rule-files.js';
import { RuleFileError, type Cell, type RuleTable } from './rule-table.js';

export const businessRuleTask: PluginTaskType = {
  name: 'BUSINESS_RULE',
  reaches: reachesNothing,
  check: (config, rules) => missingInputs(config, ['ruleFileLocation'], rules),
  create: createBusinessRuleTask,
};

/** Characters of an input that takes long to compare. */
const longChars = 1000;

export function createBusinessRuleTask(
  services: Pick<PluginServices, 'client' | 'clock' | 'isolatedJobs'>,
): PluginTask {
  const files = new RuleFiles(services);
  return {
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
        const table = await files.table(input, run.signal);
        const rows = await inSlices(fired(table, inputs, strategy === 'FIRE_FIRST'));
        const matched = rows.map((row) => outputOf(table, row, outputs as string[]));
        const result = Object.assign({}, ...matched) as JsonMap;
        return { status: 'COMPLETED', output: { result, matchedRows: matched } };
      } catch (error) {
        if (isOutboundError(error) || error instanceof RuleFileError) {
          return failed(`The rule file cannot be read: ${error.message}`);
        }
        throw error;
      }
    },
  };
}

/** The rows whose conditions hold. Columns that are not among the inputs are not asked. */
function* fired(table: RuleTable, inputs: JsonMap, onlyFirst: boolean): Steps<(readonly Cell[])[]> {
  const asked = Object.entries(inputs).flatMap(([name, value]) => {
    const column = table.columns.get(name);
    return column === undefined
      ? []
      : [{ column, value: isNested(value) ? toJsonText(value) : value }];
  });
  const hasLong = asked.some(({ value }) => typeof value === 'string' && value.length > longChars);
  const rowsPerSlice = hasLong ? 1 : itemsPerSlice;
  const matching: (readonly Cell[])[] = [];
  for (const [index, row] of table.rows.entries()) {
    if (index % rowsPerSlice === rowsPerSlice - 1) yield;
    if (!asked.every(({ column, value }) => holds(row[column] ?? null, value))) continue;
    matching.push(row);
    if (onlyFirst) break;
  }
  return matching;
}

function isNested(value: Json): value is JsonMap | Json[] {
  return typeof value === 'object' && value !== null;
}

function outputOf(table: RuleTable, row: readonly Cell[], names: readonly string[]): JsonMap {
  return Object.fromEntries(
    names.map((name) => [name, resultOf(row[table.columns.get(name) ?? -1])]),
  );
}
