// The declaration of a setting, and how the tables of this folder write settings of each kind.

type Kind = 'integer' | 'boolean' | 'text' | 'list';

export interface Setting<T> {
  readonly kind: Kind;
  readonly default: T;
  readonly about: string;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
}

export type SettingsOf<Table> = {
  readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never;
};

/**
 * A setting that cannot be used; the message is a sentence for the person who starts the server.
 */
export class SettingError extends Error {}

export const integer = (
  about: string,
  defaultValue: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): Setting<number> => ({ kind: 'integer', default: defaultValue, about, min, max });

export const text = (
  about: string,
  defaultValue: string,
  oneOf?: readonly string[],
): Setting<string> => ({
  kind: 'text',
  default: defaultValue,
  about,
  ...(oneOf ? { oneOf } : {}),
});

export const flag = (about: string, defaultValue: boolean): Setting<boolean> => ({
  kind: 'boolean',
  default: defaultValue,
  about,
});

export const list = (
  about: string,
  defaultValue: readonly string[] = [],
): Setting<readonly string[]> => ({
  kind: 'list',
  default: defaultValue,
  about,
});

/** Whether a host, by name or address, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);
}
