// Checks what a module exports as `plugin`: it was written by others.
import { engineTaskTypes } from '../engine/task-types/list.js';
import { pluginContract, type Plugin } from './plugin.js';
import { checkPluginAreas } from './read-plugin-area.js';

const engineNames = new Set(engineTaskTypes.flatMap((type) => type.names));
const nameRule = /^[a-z][a-z0-9-]*$/;
const typeRule = /^[A-Z][A-Z0-9_]*$/;

/** Throws an Error that says what is wrong with it. */
export function readPlugin(module: unknown): Plugin {
  const { plugin } = module as { plugin?: unknown };
  if (!isRecord(plugin)) throw new Error('it exports no object named plugin');
  const { contract, name, taskTypes = [], brokerKinds = [], settings = {}, tracing } = plugin;
  if (contract !== pluginContract) {
    throw new Error(
      `it is written for contract ${String(contract)} and this server has ${pluginContract}`,
    );
  }
  if (typeof name !== 'string' || !nameRule.test(name)) {
    throw new Error('its name must begin with a small letter and hold small letters, digits and -');
  }
  if (!isRecord(settings)) throw new Error('its settings must be an object');
  for (const type of listOf(taskTypes, 'taskTypes')) checkTaskType(type);
  for (const kind of listOf(brokerKinds, 'brokerKinds')) checkBrokerKind(kind);
  checkPluginAreas(listOf(plugin['areas'] ?? [], 'areas'));
  for (const member of ['describeServer', 'testPrompt', 'health']) {
    if (plugin[member] !== undefined) requireFunctions(plugin, [member], 'it');
  }
  if (tracing !== undefined) {
    if (!isRecord(tracing)) throw new Error('its tracing must be an object');
    requireFunctions(tracing, ['open'], 'its tracing');
  }
  return plugin as typeof plugin & Plugin;
}

function checkTaskType(type: unknown): void {
  if (!isRecord(type) || typeof type['name'] !== 'string' || !typeRule.test(type['name'])) {
    throw new Error('the name of a task type must be capital letters, digits and _');
  }
  const { name, reaches } = type;
  if (engineNames.has(name)) throw new Error(`${name} is a task type of the server itself`);
  if (!Array.isArray(reaches)) throw new Error(`the task type ${name} has no list reaches`);
  requireFunctions(type, ['check', 'create'], `the task type ${name}`);
}

function checkBrokerKind(kind: unknown): void {
  if (!isRecord(kind) || typeof kind['name'] !== 'string') {
    throw new Error('a kind of broker has no name');
  }
  const { name } = kind;
  for (const list of ['eventKinds', 'providerTypes', 'settingNames']) {
    if (!Array.isArray(kind[list])) throw new Error(`the broker ${name} has no list ${list}`);
  }
  requireFunctions(kind, ['fansOut', 'consume', 'openSink'], `the broker ${name}`);
}

function requireFunctions(
  value: Record<string, unknown>,
  names: readonly string[],
  owner: string,
): void {
  const missing = names.find((name) => typeof value[name] !== 'function');
  if (missing !== undefined) throw new Error(`${owner} has no function ${missing}`);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`its ${name} must be a list`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
