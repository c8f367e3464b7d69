// Values of the settings that a plug-in declares. They are given as the server's own are, as
// `plugin.NAME.SETTING`, and read once its declaration is known.
import type { Plugin, PluginSetting } from './plugin.js';
import type { PluginSettingValues } from './plugin-services.js';

/** Settings as they were given, by full name, such as `plugin.mail.senders`. */
export interface GivenSettings {
  readonly names: readonly string[];
  /** Raw; undefined: not given. */
  value(name: string): unknown;
}

type Value = PluginSettingValues[string];

/**
 * Throws an Error that names the setting and the rule, also for one that the
 * plug-in does not declare.
 */
export function readPluginSettings(
  { name, settings = {} }: Pick<Plugin, 'name' | 'settings'>,
  given: GivenSettings,
): PluginSettingValues {
  const prefix = `plugin.${name}.`;
  const unknown = given.names.find(
    (each) => each.startsWith(prefix) && !Object.hasOwn(settings, each.slice(prefix.length)),
  );
  if (unknown !== undefined) throw new Error(`There is no setting --${unknown}.`);
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => {
      const raw = given.value(prefix + key);
      return [key, raw === undefined ? setting.default : parse(`--${prefix}${key}`, setting, raw)];
    }),
  );
}

function parse(name: string, setting: PluginSetting, raw: unknown): Value {
  switch (setting.kind) {
    case 'text':
      return String(raw);
    case 'boolean':
      if (raw === true || raw === 'true') return true;
      if (raw === false || raw === 'false') return false;
      throw new Error(`${name} must be true or false, not '${String(raw)}'.`);
    case 'list':
      return (Array.isArray(raw) ? raw.map(String) : String(raw).split(','))
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'integer': {
      const { min, max = Number.MAX_SAFE_INTEGER } = setting;
      const value = String(raw).trim() === '' ? Number.NaN : Number(raw);
      if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
      const bounds = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`;
      throw new Error(`${name} must be a whole number ${bounds}, not '${String(raw)}'.`);
    }
  }
}
