// Keeps the SDKs of other languages between runs, and tells where one is not available here.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** For all steps of one SDK; about 20 s are usual. */
export const installTimeoutMs = 75_000;

/** A folder that outlives the run, under the user's cache folder. */
export function cacheFolder(name: string): string {
  const base = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache');
  const folder = path.join(base, 'downbeat', name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

/** What an installed SDK is run with; or why it is missing, as a sentence for the test's output. */
export type Installation = { readonly folder: string } | { readonly missing: string };

/**
 * Runs the steps that fill a cache folder unless an earlier run has done it. A step that fails (no
 * such tool, no registry) makes the SDK missing, not the test fail.
 */
export async function install(
  name: string,
  steps: (folder: string) => readonly (readonly [string, ...string[]])[],
): Promise<Installation> {
  const folder = cacheFolder(name);
  const stamp = path.join(folder, 'complete');
  if (fs.existsSync(stamp)) return { folder };
  const endAt = performance.now() + installTimeoutMs;
  try {
    for (const [command, ...args] of steps(folder)) {
      await run(command, args, { timeout: Math.max(1, Math.round(endAt - performance.now())) });
    }
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { missing: `skipped: ${name} could not be installed here (${reason})` };
  }
  fs.writeFileSync(stamp, '');
  return { folder };
}
