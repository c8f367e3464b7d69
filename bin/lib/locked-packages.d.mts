// Types of locked-packages.mjs.
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
type Lock = Readonly<Record<string, LockedPackage>>;
export function readLock(file?: string): Lock;
export function closureOf(packages: Lock, names: readonly string[], from?: string): string[];
export function corePackages(packages: Lock): string[];
interface Manifest {
  readonly [member: string]: unknown;
}
export function lockOf(given: {
  readonly manifest: Manifest;
  readonly lock: { readonly packages: Lock };
  readonly names: readonly string[];
}): {
  readonly manifest: Manifest;
  readonly lock: { readonly packages: Lock };
};
export function holdsPackages(locked: Lock, installed: Lock, wanted: readonly string[]): boolean;
