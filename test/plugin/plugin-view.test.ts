// Administrators see each plug-in that the server knows, its settings, and what is wrong.
import { expect, it } from 'vitest';
import { knownPlugins } from '../../src/model/known-plugins.js';
import { LoadedPlugins } from '../../src/plugin/loaded-plugins.js';
import type { Plugin } from '../../src/plugin/plugin.js';
import { viewPlugins, type PluginView } from '../../src/plugin/plugin-view.js';
import { serverTaskTypes } from '../../src/server/task-types.js';

const weather: Plugin = {
  contract: 1,
  name: 'weather',
  settings: {
    service: { kind: 'text', about: 'Its address', default: 'https://w.example' },
    key: { kind: 'text', about: 'Key for the service', default: '', isSecret: true },
    cities: { kind: 'list', about: 'Cities', default: ['Oslo', 'Rome'] },
  },
  areas: [
    {
      about: 'Cities.',
      endpoints: [
        { method: 'GET', path: '/:city', name: 'getCity', summary: 'One.', handle: () => null },
      ],
    },
  ],
  health: () => 'the service does not answer',
};

const views = viewPlugins(
  new LoadedPlugins({
    loaded: [
      { plugin: weather, version: '1.2.0', settings: { service: 'https://mine', key: 'hidden' } },
    ],
    failed: [{ name: 'sql', reason: 'it is not built' }],
    isClone: true,
    ownTaskTypes: serverTaskTypes,
  }),
);
const viewOf = (name: string): PluginView | undefined => views.find((each) => each.name === name);

it('one that is used shows its settings but for secret values, and what is wrong with it', () => {
  expect(viewOf('weather')).toEqual({
    ...{ name: 'weather', state: 'used', version: '1.2.0' },
    brings: ['GET /api/plugins/weather/:city'],
    trouble: 'the service does not answer',
    settings: [
      {
        ...{ name: 'plugin.weather.service', about: 'Its address' },
        ...{ default: 'https://w.example', value: 'https://mine' },
      },
      { name: 'plugin.weather.key', about: 'Key for the service', default: '' },
      {
        ...{ name: 'plugin.weather.cities', about: 'Cities' },
        ...{ default: 'Oslo,Rome', value: 'Oslo,Rome' },
      },
    ],
  });
  expect(JSON.stringify(views)).not.toContain('hidden');
});

it('one that is not installed shows the command that installs it, one that failed the reason', () => {
  expect(viewOf('mcp')).toEqual({
    ...{ name: 'mcp', state: 'absent', brings: ['LIST_MCP_TOOLS', 'CALL_MCP_TOOL'] },
    ...{ install: 'npm run setup:plugins -- mcp', settings: [] },
  });
  expect(viewOf('sql')).toEqual({
    ...{ name: 'sql', state: 'failed', brings: ['JDBC', 'pgvectordb'] },
    ...{ trouble: 'it is not built', settings: [] },
  });
  const names = [...knownPlugins.map(({ name }) => name), 'weather'].sort();
  expect(views.map(({ name }) => name)).toEqual(names);
});
