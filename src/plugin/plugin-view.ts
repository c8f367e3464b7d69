// Describes the plug-ins of a server (GET /api/admin/plugins): those that are used,
// with their settings, those that cannot be used, and those that are made with the server and are
// not installed, with the command that installs each.
import { knownPlugins, type KnownPlugin } from '../model/known-plugins.js';
import type { LoadedPlugin, LoadedPlugins } from './loaded-plugins.js';
import type { Plugin, PluginSetting } from './plugin.js';

export interface PluginSettingView {
  /** As it is given, without `--`. */
  readonly name: string;
  /** The meaning. */
  readonly about: string;
  readonly default: string;
  /** The value in force; absent where it is secret. */
  readonly value?: string;
}

export interface PluginView {
  readonly name: string;
  /** `failed`: installed, and it cannot be used. */
  readonly state: 'used' | 'failed' | 'absent';
  /** Of its package; absent where it is not used. */
  readonly version?: string;
  /** Task types, events, stores, documents and routes that it serves. */
  readonly brings: readonly string[];
  /** The command that installs it, where it is absent. */
  readonly install?: string;
  /** One sentence about why it is not used, or what it says is wrong. */
  readonly trouble?: string;
  /** Known of a plug-in that is used. */
  readonly settings: readonly PluginSettingView[];
}

/** Every plug-in that the server knows, by name. */
export function viewPlugins(
  plugins: Pick<LoadedPlugins, 'used' | 'failed' | 'installCommand' | 'healthDetails'>,
): readonly PluginView[] {
  const troubles = (plugins.healthDetails()['plugins'] ?? {}) as Readonly<Record<string, string>>;
  const used = plugins.used.map((each) => usedView(each, troubles[each.plugin.name]));
  const failed = plugins.failed.map(({ name, reason }): PluginView => {
    const known = knownPlugins.find((each) => each.name === name);
    return {
      name,
      state: 'failed',
      brings: known ? knownBrings(known) : [],
      trouble: reason,
      settings: [],
    };
  });
  const present = new Set([...used, ...failed].map(({ name }) => name));
  const absent = knownPlugins
    .filter(({ name }) => !present.has(name))
    .map((known): PluginView => {
      const { name } = known;
      const install = plugins.installCommand(name);
      return { name, state: 'absent', brings: knownBrings(known), install, settings: [] };
    });
  return [...used, ...failed, ...absent].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function usedView({ plugin, version, settings }: LoadedPlugin, trouble?: string): PluginView {
  const { name, settings: declared = {} } = plugin;
  return {
    ...{ name, state: 'used', version, brings: brings(plugin) },
    ...(trouble !== undefined && { trouble }),
    settings: Object.entries(declared).map(([key, setting]) => ({
      ...{ name: `plugin.${name}.${key}`, about: setting.about, default: textOf(setting.default) },
      ...(isShown(setting) && { value: textOf(settings[key] ?? setting.default) }),
    })),
  };
}

function isShown(setting: PluginSetting): boolean {
  return setting.kind !== 'text' || setting.isSecret !== true;
}

function textOf(value: PluginSetting['default']): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function brings(plugin: Plugin): readonly string[] {
  const {
    name,
    taskTypes = [],
    brokerKinds = [],
    vectorStores = [],
    documentReaders = [],
  } = plugin;
  const endpoints = (plugin.areas ?? []).flatMap((area) => area.endpoints);
  return [
    ...taskTypes.map((type) => type.name),
    ...brokerKinds.flatMap(({ eventKinds }) => eventKinds.map(events)),
    ...vectorStores.map(({ providerType }) => providerType),
    ...documentReaders.map(({ mediaType }) => mediaType),
    ...(plugin.tracing === undefined ? [] : [traces]),
    ...endpoints.map(({ method, path }) => `${method} /api/plugins/${name}${path}`),
  ];
}

function knownBrings({
  name,
  taskTypes,
  eventKinds,
  vectorStores,
  mediaTypes,
}: KnownPlugin): string[] {
  const tracing = name === 'opentelemetry' ? [traces] : [];
  return [...taskTypes, ...eventKinds.map(events), ...vectorStores, ...mediaTypes, ...tracing];
}

const traces = 'traces';

/** As sinks and event handlers name them. */
function events(kind: string): string {
  return `${kind}:...`;
}
