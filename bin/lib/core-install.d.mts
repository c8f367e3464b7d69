// Types of core-install.mjs.
export const installedPlaces: readonly string[];
export function writeCoreInstall(folder: string): void;
