// What a setting declares, and how the tables of this folder write settings of each kind.

type Kind = 'integer' | 'boolean' | 'text' | 'list';

export interface Setting<T> {
  readonly kind: Kind;
  readonly default: T;
  readonly about: string;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
}

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
