// Types of packages.mjs.
import type { readLock } from './locked-packages.mjs';
export function serverPackages(packages: ReturnType<typeof readLock>): string[];
