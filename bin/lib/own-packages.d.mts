export const ownPackageFolders: readonly string[];

export function ownPackages(root: string): Record<string, string>;
