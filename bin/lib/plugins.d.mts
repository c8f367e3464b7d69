/** Names of the plug-ins that come with the server. */
export const includedPlugins: readonly string[];
