// What the reference server 3.32.3 answered for one execution of each task type and of their
// combinations (recorded-scenarios.json: definition, input, and the final state with ids written
// <id>), against the engine.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inputOf, outputOf } from '../../src/engine/derived-payloads.js';
import type { Json, JsonMap } from '../../src/model/json.js';
import { World } from './support/world.js';

interface Scenario {
  name: string;
  definitions: JsonMap[];
  start: { name: string; input: JsonMap; correlationId?: string };
  expected: JsonMap;
}

const scenarios = JSON.parse(
  readFileSync(new URL('recorded-scenarios.json', import.meta.url), 'utf8'),
) as Scenario[];

/** Fields of embedded definitions where ours says more than the reference. */
const leftOut = new Set(['taskDefinition', 'createTime', 'updateTime', 'ownerApp']);

function comparable(value: Json): Json {
  if (typeof value === 'string') return value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>');
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const map: JsonMap = {};
  for (const [key, item] of Object.entries(value)) {
    if (!leftOut.has(key) && item !== undefined) map[key] = comparable(item);
  }
  return map;
}

function play(scenario: Scenario, reloads: boolean): JsonMap {
  const world = new World({
    workflowDefs: scenario.definitions,
    reloads,
    limits: { objectsInText: 'java' },
  });
  const definition = scenario.definitions.find(({ name }) => name === scenario.start.name);
  const { correlationId, input } = scenario.start;
  const id = world.start(
    definition ?? {},
    input,
    correlationId === undefined ? {} : { correlationId },
  );
  const open = world.open(id);
  const { state, output, variables, tasks } = open.execution;
  return {
    status: state.status,
    ...(state.reasonForIncompletion === undefined ? {} : { reason: state.reasonForIncompletion }),
    output: output.value,
    variables: variables.value,
    failedReferenceTaskNames: state.failedReferenceTaskNames,
    tasks: tasks.map((task) => ({
      seq: task.seq,
      ref: task.ref,
      type: task.taskType,
      def: task.defName,
      status: task.status,
      iteration: task.iteration,
      retryCount: task.retryCount,
      callbackAfterSeconds: task.callbackAfterSeconds,
      ...(task.reason === undefined ? {} : { reason: task.reason }),
      input: inputOf(open, task).value,
      output: outputOf(open, task).value,
    })),
  };
}

describe('the engine decides as the recorded reference', () => {
  it.each(scenarios)('$name', (scenario) => {
    expect(comparable(play(scenario, false))).toEqual(comparable(scenario.expected));
  });

  it.each(scenarios)('$name, opened again after every step', (scenario) => {
    expect(comparable(play(scenario, true))).toEqual(comparable(scenario.expected));
  });
});
