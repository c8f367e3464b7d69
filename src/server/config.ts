// Reads the settings of settings-table.ts. A value comes from the arguments (`--data-dir DIR`,
// `--name=value`), else the environment (DOWNBEAT_DATA_DIR; also REDIS_URL), else a JSON settings
// file (`--config FILE` or DOWNBEAT_CONFIG), else the default. Unknown names and values that fail
// their check are refused with a sentence, in each of the three: a name that is misspelt in the
// environment would otherwise start a server that nobody asked for.
import fs from 'node:fs';
import { checkTogether } from './settings-checks.js';
import { nearestOf } from '../std/nearest.js';
import { settingsTable, type GivenPluginSettings, type Settings } from './settings-table.js';
import { movedSettings } from '../settings/moved-settings.js';
import { SettingError, type Setting } from '../settings/setting.js';

const pluginPrefix = 'plugin.';

/** Reads all settings. Throws SettingError. */
export function readSettings(args: readonly string[], from: NodeJS.ProcessEnv): Settings {
  const given = renamed(readArguments(args), toFlag);
  const env = Object.fromEntries(renamed(new Map(Object.entries(from)), toVariable));
  const file = given.get('config') ?? env['DOWNBEAT_CONFIG'];
  given.delete('config');
  const inFile = new Map(file === undefined ? [] : Object.entries(readFile(file)));
  const fromFile = Object.fromEntries(renamed(inFile, (name) => name));
  const settings: Record<string, unknown> = {
    pluginSettings: takePluginSettings(given, fromFile, env),
  };
  for (const [name, setting] of Object.entries(settingsTable) as [string, Setting<unknown>][]) {
    const flagName = toFlag(name);
    const argument = given.get(flagName);
    given.delete(flagName);
    const raw = argument ?? fromEnvironment(name, env) ?? fromFile[name];
    settings[name] = raw === undefined ? setting.default : parse(name, setting, raw);
    delete fromFile[name];
  }
  const unknown = [...given.keys()][0];
  const names = Object.keys(settingsTable);
  if (unknown !== undefined) {
    throw new SettingError(noSetting('--', unknown, names.map(toFlag), 'settings'));
  }
  refuseUnknownVariable(env, names.map(toVariable));
  const unknownInFile = Object.keys(fromFile)[0];
  if (unknownInFile !== undefined) {
    throw new SettingError(noSetting('', unknownInFile, names, `in ${String(file)}`));
  }
  return checkTogether(settings as typeof settings & Settings);
}

/**
 * Takes settings of plug-ins, `plugin.NAME.SETTING`, given by the same ways and in the same order.
 * Each plug-in checks its own (plugin/plugin-settings.ts).
 */
function takePluginSettings(
  given: Map<string, string>,
  fromFile: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
): GivenPluginSettings {
  const ofArguments = new Map([...given].filter(([name]) => name.startsWith(pluginPrefix)));
  const ofFile = new Map(
    Object.entries(fromFile).filter(([name]) => name.startsWith(pluginPrefix)),
  );
  for (const name of ofArguments.keys()) given.delete(name);
  for (const name of ofFile.keys()) delete fromFile[name];
  return {
    names: [...ofArguments.keys(), ...ofFile.keys()],
    value: (name) =>
      ofArguments.get(name) ?? fromEnvironment(name, env) ?? ofFile.get(name) ?? undefined,
  };
}

/**
 * Puts settings that a plug-in has now in the place of their earlier names; `spelt`: how a name
 * stands there. Throws SettingError where both are given.
 */
function renamed<T>(values: Map<string, T>, spelt: (name: string) => string): Map<string, T> {
  for (const [before, now] of Object.entries(movedSettings)) {
    const [earlier, name] = [spelt(before), spelt(now)];
    const value = values.get(earlier);
    if (value === undefined) continue;
    if (values.has(name)) {
      throw new SettingError(`${earlier} is the earlier name of ${name}: give one of them.`);
    }
    values.delete(earlier);
    values.set(name, value);
  }
  return values;
}

/** `place`: where the name stands, unless that is the arguments. */
function noSetting(before: string, name: string, names: readonly string[], place: string): string {
  const nearest = nearestOf(name, names);
  const hint = nearest === undefined ? '' : ` Did you mean ${before}${nearest}?`;
  return `There is no setting ${before}${name}${place === 'settings' ? '' : ` (${place})`}.${hint}`;
}

/** Variables that are no settings: of the file with the settings, of tests and of deploy/. */
const otherVariables = /^DOWNBEAT_(?:CONFIG|SECRETS|VALKEY_SERVER|TEST_\w+)$/;

/**
 * Variables that Kubernetes sets in every container for a service whose name begins with
 * `downbeat`, such as DOWNBEAT_SERVICE_HOST and DOWNBEAT_PORT_8080_TCP_ADDR.
 */
const serviceLink =
  /^DOWNBEAT_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

function refuseUnknownVariable(env: NodeJS.ProcessEnv, variables: readonly string[]): void {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('DOWNBEAT_') || value === '' || variables.includes(name)) continue;
    if (otherVariables.test(name) || serviceLink.test(name)) continue;
    // Of plug-ins, which check their own.
    if (name.startsWith(toVariable(pluginPrefix))) continue;
    throw new SettingError(noSetting('', name, variables, 'in the environment'));
  }
}

/** `dataDir` becomes `data-dir`; dotted names stay. */
export function toFlag(name: string): string {
  return name.includes('.') ? name : kebab(name);
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `dataDir` becomes DOWNBEAT_DATA_DIR. */
export function toVariable(name: string): string {
  return `DOWNBEAT_${kebab(name).replace(/[.-]/g, '_').toUpperCase()}`;
}

function fromEnvironment(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const value = env[toVariable(name)] ?? (name === 'redisUrl' ? env['REDIS_URL'] : undefined);
  // DOWNBEAT_PORT=tcp://10.0.0.1:8080 is the address of a service in Kubernetes, not a setting.
  const isLink = name === 'port' && value?.startsWith('tcp://') === true;
  return value === '' || isLink ? undefined : value;
}

function readArguments(args: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as string;
    if (!arg.startsWith('--'))
      throw new SettingError(`'${arg}' is not a setting: settings begin with --.`);
    const equals = arg.indexOf('=');
    if (equals > 0) given.set(arg.slice(2, equals), arg.slice(equals + 1));
    else {
      const next = args[i + 1];
      if (next === undefined || next.startsWith('--')) given.set(arg.slice(2), 'true');
      else {
        given.set(arg.slice(2), next);
        i += 1;
      }
    }
  }
  return given;
}

function readFile(file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingError(`The settings file ${file} cannot be read: ${(error as Error).message}`);
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new SettingError(`The settings file ${file} must hold a JSON object.`);
  }
  return { ...parsed };
}

function parse(name: string, setting: Setting<unknown>, raw: unknown): unknown {
  switch (setting.kind) {
    case 'integer':
      return parseInteger(name, setting, raw);
    case 'boolean':
      if (raw === true || raw === 'true') return true;
      if (raw === false || raw === 'false') return false;
      throw new SettingError(`--${toFlag(name)} must be true or false, not '${String(raw)}'.`);
    case 'list':
      if (Array.isArray(raw)) return raw.map(String);
      return String(raw)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'text': {
      const value = String(raw);
      if (setting.oneOf && !setting.oneOf.includes(value)) {
        throw new SettingError(
          `--${toFlag(name)} must be one of ${setting.oneOf.join(', ')}, not '${value}'.`,
        );
      }
      return value;
    }
  }
}

function parseInteger(name: string, setting: Setting<unknown>, raw: unknown): number {
  const value = typeof raw === 'number' ? raw : Number(String(raw).trim() || Number.NaN);
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = setting;
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const upTo = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`;
    throw new SettingError(
      `--${toFlag(name)} must be a whole number ${upTo}, not '${String(raw)}'.`,
    );
  }
  return value;
}
