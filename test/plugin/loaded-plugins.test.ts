// What a server makes of plug-ins that are there, that are not, and that are wrong.
import { describe, expect, it } from 'vitest';
import type {
  Plugin,
  PluginTaskType,
  PromptTest,
  PromptTestServices,
} from '../../src/plugin/plugin.js';
import { LoadedPlugins, type LoadedPluginsParts } from '../../src/plugin/loaded-plugins.js';
import { readPlugin } from '../../src/plugin/read-plugin.js';
import { readPluginSettings } from '../../src/plugin/plugin-settings.js';
import { serverTaskTypes } from '../../src/server/task-types.js';
import { systemClock } from '../../src/std/clock.js';
import { completed } from '../../src/system-task/task-run.js';

const taskType = (name: string): PluginTaskType => ({
  ...{ name, reaches: [] },
  check: () => [],
  create: () => ({ run: (run) => Promise.resolve(completed(run, {})) }),
});

function loadedWith(parts: Partial<LoadedPluginsParts>, ...plugins: Plugin[]): LoadedPlugins {
  const loaded = plugins.map((plugin) => ({ plugin, version: '1.2.3', settings: {} }));
  return new LoadedPlugins({
    ...{ ownTaskTypes: serverTaskTypes, loaded, failed: [], isClone: true },
    ...parts,
  });
}

const unused = (): Promise<never> => Promise.reject(new Error('unused'));
const services: Omit<PromptTestServices, 'settings'> = {
  clock: systemClock,
  client: { request: unused, fetchFor: () => unused },
  tokenBudget: { requireRoom: () => undefined, add: unused },
  integrations: { model: unused },
};

describe('a server with plug-ins', () => {
  it('runs their task types beside its own', () => {
    const plugins = loadedWith({}, { contract: 1, name: 'mine', taskTypes: [taskType('MINE')] });
    expect(plugins.taskTypes.get('MINE')?.name).toBe('MINE');
    expect(plugins.taskTypes.has('HTTP')).toBe(true);
    expect(plugins.absence('MINE')).toBeUndefined();
    expect(plugins.names).toEqual(['mine 1.2.3']);
    expect(plugins.healthDetails()).toEqual({});
  });

  it('knows what is missing, and the command that installs it', () => {
    const command = 'npm run setup:plugins -- mcp';
    expect(loadedWith({}).absence('CALL_MCP_TOOL')).toBe(
      `Tasks of type CALL_MCP_TOOL need the plug-in mcp, which is not installed: run \`${command}\` and start the server again`,
    );
    expect(loadedWith({ isClone: false }).absence('CALL_MCP_TOOL')).toContain(
      '`npm install @downbeat/plugin-mcp`',
    );
    expect(loadedWith({}).taskTypes.get('CALL_MCP_TOOL')?.name).toBe('CALL_MCP_TOOL');
    expect(loadedWith({}).absence('NOBODYS_TYPE')).toBeUndefined();
  });

  it('says why one that is installed is not used', () => {
    const plugins = loadedWith({ failed: [{ name: 'mcp', reason: 'it is not built' }] });
    expect(plugins.absence('LIST_MCP_TOOLS')).toBe(
      'Tasks of type LIST_MCP_TOOLS need the plug-in mcp, which did not load: it is not built',
    );
    expect(plugins.healthDetails()).toEqual({ plugins: { mcp: 'it is not built' } });
  });

  it('leaves out the second of two that serve the same', () => {
    const first: Plugin = { contract: 1, name: 'first', taskTypes: [taskType('SAME')] };
    const second: Plugin = { ...first, name: 'second' };
    const again: Plugin = { contract: 1, name: 'again', taskTypes: [taskType('HTTP')] };
    expect(loadedWith({}, first, second, again).failed).toEqual([
      { name: 'second', reason: 'something else serves SAME already' },
      { name: 'again', reason: 'something else serves HTTP already' },
    ]);
  });

  it('warns where traces are asked for and no plug-in takes them, or it cannot', async () => {
    const said: string[] = [];
    const facts = {
      ...{ environment: {}, serverVersion: '1', nodeId: 'n' },
      warn: (message: string) => void said.push(message),
    };
    expect(await loadedWith({}).openTracing(facts)).toBeUndefined();
    const tracing = { open: () => Promise.reject(new Error('the sampler is unknown')) };
    const plugins = loadedWith({}, { contract: 1, name: 'mine', tracing });
    expect(await plugins.openTracing(facts)).toBeUndefined();
    expect(said).toEqual([
      'Traces, which the variables OTEL_* ask for, need the plug-in opentelemetry, which is not installed: run `npm run setup:plugins -- opentelemetry` and start the server again',
      'The plug-in mine: there are no traces: the sampler is unknown',
    ]);
    expect(plugins.healthDetails()).toEqual({
      plugins: { mine: 'there are no traces: the sampler is unknown' },
    });
  });

  it('lets the one that asks models test a prompt, with its settings', async () => {
    const test: PromptTest = {
      ...{ provider: 'ai', model: 'm', text: 'x', temperature: undefined, topP: undefined },
      ...{ maxTokens: undefined, stopWords: [], wantsJson: false },
      ...{ startedBy: undefined, attemptKey: 'k', signal: new AbortController().signal },
      hide: () => undefined,
    };
    const asks: Plugin = {
      ...{ contract: 1, name: 'asks' },
      testPrompt: ({ settings }, { text }) => Promise.resolve(`${text} ${String(settings['a'])}`),
    };
    const loaded = [{ plugin: asks, version: '', settings: { a: 'b' } }];
    expect(await loadedWith({ loaded }).testPrompt(services, test)).toBe('x b');
    const refused = loadedWith({}).testPrompt(services, test);
    await expect(refused).rejects.toMatchObject({
      name: 'FinalFailure',
      message:
        'Calls of models need the plug-in models, which is not installed: run `npm run setup:plugins -- models` and start the server again',
    });
  });

  it('asks each how it is', () => {
    const ill: Plugin = { contract: 1, name: 'ill', health: () => 'no connection' };
    const broken: Plugin = {
      ...{ contract: 1, name: 'broken' },
      health: () => {
        throw new Error('oh');
      },
    };
    expect(loadedWith({}, ill, broken).healthDetails()).toEqual({
      plugins: { ill: 'no connection', broken: 'its health check failed: Error: oh' },
    });
  });
});

describe('what a module exports as plugin', () => {
  const good = { contract: 1, name: 'mine', taskTypes: [taskType('MINE')] };
  it.each<[string, unknown, string]>([
    ['nothing', {}, 'it exports no object named plugin'],
    ['another contract', { plugin: { ...good, contract: 2 } }, 'written for contract 2'],
    ['a bad name', { plugin: { ...good, name: 'My Plug-in' } }, 'its name must begin with'],
    ['no list', { plugin: { ...good, taskTypes: {} } }, 'its taskTypes must be a list'],
    ['a bad type', { plugin: { ...good, taskTypes: [taskType('my type')] } }, 'capital letters'],
    ['a type of the engine', { plugin: { ...good, taskTypes: [taskType('SWITCH')] } }, 'SWITCH is'],
    ['half a type', { plugin: { ...good, taskTypes: [{ name: 'A' }] } }, 'A has no list reaches'],
    ['a test that is none', { plugin: { ...good, testPrompt: true } }, 'no function testPrompt'],
    ['half a broker', { plugin: { ...good, brokerKinds: [{ name: 'b' }] } }, 'no list eventKinds'],
  ])('%s is refused', (_what, module, reason) => {
    expect(() => readPlugin(module)).toThrow(reason);
  });

  it('is taken as it is', () => {
    expect(readPlugin({ plugin: good })).toBe(good);
  });
});

describe('settings of a plug-in', () => {
  const plugin: Plugin = {
    ...{ contract: 1, name: 'mine' },
    settings: {
      count: { kind: 'integer', about: 'How many', default: 3, min: 1, max: 9 },
      on: { kind: 'boolean', about: 'Whether', default: false },
      names: { kind: 'list', about: 'Which', default: ['a'] },
    },
  };
  const given = (values: Record<string, unknown>): Parameters<typeof readPluginSettings>[1] => ({
    names: Object.keys(values),
    value: (name) => values[name],
  });

  it('have their defaults and what is given', () => {
    expect(readPluginSettings(plugin, given({}))).toEqual({ count: 3, on: false, names: ['a'] });
    const values = {
      'plugin.mine.count': '7',
      'plugin.mine.on': true,
      'plugin.mine.names': 'b, c',
    };
    expect(readPluginSettings(plugin, given(values))).toEqual({
      ...{ count: 7, on: true, names: ['b', 'c'] },
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ 'plugin.mine.count': '10' }, '--plugin.mine.count must be a whole number from 1 to 9'],
    [{ 'plugin.mine.count': '' }, '--plugin.mine.count must be a whole number'],
    [{ 'plugin.mine.on': 'yes' }, "--plugin.mine.on must be true or false, not 'yes'"],
    [{ 'plugin.mine.cuont': '1' }, 'There is no setting --plugin.mine.cuont'],
  ])('%j is refused', (values, reason) => {
    expect(() => readPluginSettings(plugin, given(values))).toThrow(reason);
  });

  it('leave those of others alone', () => {
    expect(readPluginSettings(plugin, given({ 'plugin.other.x': 1 }))).toMatchObject({ count: 3 });
  });
});
