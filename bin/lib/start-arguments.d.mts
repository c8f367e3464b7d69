// Types of start-arguments.mjs.

export declare function settingKinds(root?: string): Map<string, string>;

export declare function whyRefused(
  args: readonly string[],
  kinds: ReadonlyMap<string, string>,
  help?: string,
): string | undefined;

export declare function splitLine(words: readonly string[]): {
  name: string | undefined;
  args: string[];
};

export declare function refuseEarly(
  name: string | undefined,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): void;

export declare function whyVariableRefused(
  env: NodeJS.ProcessEnv,
  kinds: ReadonlyMap<string, string>,
): string | undefined;
