// Types of locked-packages.mjs.
interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
type Lock = Readonly<Record<string, LockedPackage>>;
export function readLock(file?: string): Lock;
export function corePackages(packages: Lock): string[];
