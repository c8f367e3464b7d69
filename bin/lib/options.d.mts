// Types of options.mjs.

export type Option =
  | { readonly type: 'boolean'; readonly about: string }
  | {
      /** Whole numbers, or a share of one. */
      readonly type: 'integer' | 'fraction';
      readonly about: string;
      readonly default?: number;
      /** By default 0. */
      readonly min?: number;
      /** By default any, of a share 1. */
      readonly max?: number;
    }
  | {
      readonly type: 'string';
      readonly about: string;
      readonly default?: string;
      /** The values that there are. */
      readonly oneOf?: readonly string[];
      /** Names of which several may be given, with commas between them. */
      readonly someOf?: readonly string[];
    };

export interface Program<Options extends Readonly<Record<string, Option>>> {
  /** How it is called, such as `npm run bench --`. */
  readonly command: string;
  /** What it is for: a sentence. */
  readonly about: string;
  readonly options: Options;
  /** Other arguments, as the usage shows them; absent: there are none. */
  readonly positional?: string;
}

type Plain<O extends Option> = O extends { type: 'boolean' }
  ? boolean
  : O extends { type: 'integer' | 'fraction' }
    ? number
    : O extends { oneOf: readonly (infer Name)[] }
      ? Name
      : string;
type Value<O extends Option> = O extends { type: 'boolean' } | { default: string | number }
  ? Plain<O>
  : Plain<O> | undefined;

export type Values<Options extends Readonly<Record<string, Option>>> = {
  readonly [Name in keyof Options]: Value<Options[Name]>;
} & { readonly help: boolean; readonly arguments: readonly string[] };

/**
 * Values of the arguments, by default those of the process. Ends the process: with 0 after `--help`,
 * with 2 and a sentence for an argument that cannot be used.
 */
export function readOptions<const Options extends Readonly<Record<string, Option>>>(
  program: Program<Options>,
  args?: readonly string[],
): Values<Options>;

/** An argument that cannot be used; the message is a sentence. */
export class OptionError extends Error {}

/** The same values without ending the process. Throws OptionError. */
export function parse<const Options extends Readonly<Record<string, Option>>>(
  program: Program<Options>,
  args: readonly string[],
): Values<Options>;

export function usageOf(program: Program<Readonly<Record<string, Option>>>): string;
