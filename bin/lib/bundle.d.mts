// Types of bundle.mjs.
export function bundleInto(dist: string, root?: string): Promise<void>;
