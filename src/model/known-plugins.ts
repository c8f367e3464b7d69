// The plug-ins that are made with this server, and what each brings (docs/plugins.md). A server
// without one of them still knows its names, so it can say what is missing.

export interface KnownPlugin {
  /** Folder below plugins/, and the end of the package's name. */
  readonly name: string;
  readonly taskTypes: readonly string[];
  /** First parts of event names that mean its brokers, and their types of integrations. */
  readonly eventKinds: readonly string[];
  readonly providerTypes: readonly string[];
}

const types = (name: string, ...taskTypes: readonly string[]): KnownPlugin => ({
  ...{ name, taskTypes, eventKinds: [], providerTypes: [] },
});

export const knownPlugins: readonly KnownPlugin[] = [
  types('mcp', 'LIST_MCP_TOOLS', 'CALL_MCP_TOOL'),
];

const byTaskType = new Map(
  knownPlugins.flatMap((plugin) => plugin.taskTypes.map((type) => [type, plugin.name] as const)),
);

/** Name of the plug-in that runs a task type; undefined: none of those that are made here. */
export function pluginOfTaskType(type: string): string | undefined {
  return byTaskType.get(type);
}

export function packageOfPlugin(name: string): string {
  return `@downbeat/plugin-${name}`;
}
