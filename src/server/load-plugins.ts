// Finds and loads the plug-ins of a server: those that are made with it, where they are installed
// or come with it, and those that the setting `plugins` names. One that cannot be used is named in
// the log and by /health, and the server runs without it.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { knownPlugins, packageOfPlugin } from '../model/known-plugins.js';
import { findPackage, type FoundPackage } from '../plugin/find-package.js';
import { LoadedPlugins, type FailedPlugin, type LoadedPlugin } from '../plugin/loaded-plugins.js';
import type { Plugin } from '../plugin/plugin.js';
import { readPluginSettings } from '../plugin/plugin-settings.js';
import { readPlugin } from '../plugin/read-plugin.js';
import { SettingError } from '../settings/setting.js';
import type { Settings } from './settings-table.js';
import type { Logger } from '../telemetry/logger.js';
import { serverTaskTypes } from './task-types.js';

/** Throws SettingError for a setting that its plug-in refuses. */
export async function loadPlugins(
  settings: Pick<Settings, 'plugins' | 'pluginSettings'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<LoadedPlugins> {
  const wanted = [
    ...knownPlugins
      .map(({ name }) => ({ name, found: packageOfPlugin(name), isAsked: false }))
      .filter(({ found }) => !settings.plugins.includes(found)),
    ...settings.plugins.map((name) => ({ name, found: name, isAsked: true })),
  ];
  const outcomes = await Promise.all(
    wanted.map(async ({ name, found, isAsked }) => {
      try {
        return await load(found, isAsked);
      } catch (error) {
        return { name, reason: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  const present = outcomes.filter((outcome) => outcome !== undefined);
  const loaded = present
    .filter((outcome) => 'plugin' in outcome)
    .map((each): LoadedPlugin => ({ ...each, settings: settingsOf(each.plugin, settings) }));
  const failed = present.filter((outcome): outcome is FailedPlugin => 'reason' in outcome);
  const plugins = new LoadedPlugins({
    ...{ ownTaskTypes: serverTaskTypes, loaded, failed },
    isClone: runsFromClone(),
  });
  for (const { name, reason } of plugins.failed) {
    log.warn({ plugin: name }, `the plug-in ${name} is not used: ${reason}`);
  }
  log.info(`plug-ins: ${plugins.names.join(', ') || 'none'}`);
  return plugins;
}

/** undefined: not installed, and nobody asked for it. */
async function load(
  name: string,
  isAsked: boolean,
): Promise<{ plugin: Plugin; version: string } | undefined> {
  // Those that are asked for may stand in the project that starts the server, too.
  const places = [import.meta.dirname, ...(isAsked ? [process.cwd()] : [])];
  const found = findPackage(name, places) ?? includedPackage(name);
  if (found === undefined) {
    if (!isAsked) return undefined;
    throw new Error('there is no such package or folder (setting plugins)');
  }
  if (!fs.existsSync(found.entry)) throw new Error(`it is not built: ${found.entry} is missing`);
  const module: unknown = await import(pathToFileURL(found.entry).href);
  return { plugin: readPlugin(module), version: found.version };
}

/** A plug-in that comes with the server: the build puts it beside the bundle. */
function includedPackage(name: string): FoundPackage | undefined {
  const known = knownPlugins.find((each) => packageOfPlugin(each.name) === name);
  if (known?.isIncluded === undefined) return undefined;
  return findPackage(path.join(import.meta.dirname, '..', 'included', known.name), []);
}

function settingsOf(
  plugin: Plugin,
  { pluginSettings }: Pick<Settings, 'pluginSettings'>,
): LoadedPlugin['settings'] {
  try {
    return readPluginSettings(plugin, pluginSettings);
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}

/** Built into dist/ below the project's folder. */
function runsFromClone(): boolean {
  return fs.existsSync(path.join(import.meta.dirname, '../../plugins/contract'));
}
