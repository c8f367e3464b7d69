// Types of bundled-packages.mjs.
import type { readLock } from './locked-packages.mjs';
export const bundledPackages: readonly string[];
export function bundledPlaces(packages: ReturnType<typeof readLock>): string[];
export function shippedPlaces(packages: ReturnType<typeof readLock>): Set<string>;
