// One call for each of several names. A refused one is told and the others go on, so that nobody
// has to find out which were done; a server that is away or asks for a token ends it.
import { codeAfter, exitCodes, Failure } from './failure.js';
import type { Output } from './output.js';

interface EachOptions {
  readonly work: (name: string) => Promise<unknown>;
  /** The result with `--json`, of those that were done. */
  readonly shown: (names: readonly string[]) => unknown;
  /** Follows the name on its line. */
  readonly done: string;
}

/** Throws a Failure with the code of the first one that was refused. */
export async function eachOf(
  out: Output,
  names: readonly string[],
  { work, shown, done }: EachOptions,
): Promise<void> {
  const through: string[] = [];
  let first: Failure | undefined;
  for (const name of names) {
    try {
      await work(name);
      through.push(name);
    } catch (error) {
      if (!(error instanceof Failure) || names.length === 1) throw error;
      first ??= error;
      out.note(`${name}: ${error.message}`);
      if (error.code === exitCodes.unreachable || error.code === exitCodes.denied) break;
    }
  }
  if (through.length > 0)
    out.result(shown(through), () => through.map((name) => `${name} ${done}`).join('\n'));
  if (first === undefined) return;
  const said = `${through.length} of ${names.length} are done.`;
  throw new Failure(said, codeAfter(first.code, through.length));
}
