// Task configurations that are not part of the definition (branches of dynamic forks, dynamic and
// skipped tasks): kept with the task as JSON without what equals the default. Their task definition
// is kept once per execution under its content hash, because ten thousand branches usually share
// one.
import { createHash } from 'node:crypto';
import { asJson, type Json, ownRecord } from '../../model/json.js';
import { parseJson, parseOwnJson, toJsonText } from '../../model/json-text.js';
import type { TaskDef } from '../../model/task-def.js';
import type { WorkflowTask } from '../../model/workflow-def.js';

const defaults: Readonly<Record<string, string>> = {
  inputParameters: '{}',
  decisionCases: '{}',
  defaultCase: '[]',
  forkTasks: '[]',
  joinOn: '[]',
  defaultExclusiveJoinTask: '[]',
  loopOver: '[]',
  startDelay: '0',
  optional: 'false',
  permissive: 'false',
  asyncComplete: 'false',
  onStateChange: '{}',
  metadata: '{}',
};

const digests = new WeakMap<TaskDef, { hash: string; text: string }>();

/** Content hash and JSON text of a task definition, computed once per object. */
export function taskDefRecord(def: TaskDef): { hash: string; text: string } {
  const known = digests.get(def);
  if (known) return known;
  const text = toJsonText(def);
  const record = { hash: createHash('sha256').update(text).digest('base64url').slice(0, 16), text };
  digests.set(def, record);
  return record;
}

export function parseTaskDefRecord(text: string): TaskDef {
  return parseOwnJson<TaskDef>(text);
}

/** JSON text of `config` without its task definition and without defaults. */
export function inlineConfigText(config: WorkflowTask): string {
  const kept: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(config) as [string, Json | undefined][]) {
    if (key === 'taskDefinition' || value === undefined || isDefault(key, value)) continue;
    kept[key] = value;
  }
  return toJsonText(kept);
}

/** The configuration back with its defaults. `taskDefinition` is undefined when it had none. */
export function parseInlineConfig(text: string, taskDefinition: TaskDef | undefined): WorkflowTask {
  const config = parseJson(text) as { [key: string]: Json };
  for (const key in defaults) {
    if (!Object.hasOwn(config, key)) config[key] = JSON.parse(defaults[key] as string) as Json;
  }
  if (taskDefinition) config['taskDefinition'] = asJson(taskDefinition);
  return ownRecord<WorkflowTask>(config);
}

function isDefault(key: string, value: Json): boolean {
  const text = defaults[key];
  if (text === undefined) return false;
  if (text === '{}') return isEmptyObject(value);
  if (text === '[]') return Array.isArray(value) && value.length === 0;
  return typeof value !== 'object' && text === String(value);
}

function isEmptyObject(value: Json): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}
