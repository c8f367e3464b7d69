// The program of a process that carries out one isolated job and ends: it loads the module of the
// job. A result that is too long stays here: the server would have to read it.
import { serialize } from 'node:v8';
import { endWithParent } from '../../std/end-with-parent.js';
import type { JobAnswer, JobOrder } from './job.js';

// The server has ended: nobody waits for the result.
process.once('disconnect', () => process.exit());
endWithParent();

process.once('message', (order) => {
  void answered(order as JobOrder).then((answer) =>
    process.send?.(answer, () => process.disconnect()),
  );
});

async function answered({ program, order, resultBytesMax }: JobOrder): Promise<JobAnswer> {
  try {
    const { run } = (await import(program)) as { run: (order: unknown) => unknown };
    const result = await run(order);
    if (serialize(result).length <= resultBytesMax) return { ok: true, result };
    return { ok: false, reason: `The result is longer than ${resultBytesMax} bytes` };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
