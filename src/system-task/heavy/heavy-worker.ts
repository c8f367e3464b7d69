// The program of a process that carries out one heavy job and ends. Libraries are loaded by the job
// that needs them. A result that is too long stays here: the server would have to read it.
import { serialize } from 'node:v8';
import type { HeavyAnswer, HeavyJob, HeavyOrder } from './job.js';

// The server has ended: nobody waits for the result.
process.once('disconnect', () => process.exit());

process.once('message', (order) => {
  void answered(order as HeavyOrder).then((answer) =>
    process.send?.(answer, () => process.disconnect()),
  );
});

async function answered({ job, resultBytesMax }: HeavyOrder): Promise<HeavyAnswer> {
  try {
    const result = await carryOut(job);
    if (serialize(result).length <= resultBytesMax) return { ok: true, result };
    return { ok: false, reason: `The result is longer than ${resultBytesMax} bytes` };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function carryOut(job: HeavyJob): Promise<unknown> {
  switch (job.kind) {
    case 'html-text':
      return (await import('./html-text.js')).htmlText(job.bytes, job.charset);
    case 'pdf-text':
      return await (await import('./pdf-text.js')).pdfText(job.bytes);
    case 'csv-text':
      return (await import('./table-text.js')).tableText(job.bytes, ',');
    case 'tsv-text':
      return (await import('./table-text.js')).tableText(job.bytes, '\t');
    case 'json-text':
      return (await import('./json-text.js')).jsonText(job.bytes, job.charset);
    case 'rule-table':
      return await (
        await import('../rules/rule-table.js')
      ).readRuleTable(Buffer.from(job.bytes), job.format);
    case 'write-pdf':
      return await (await import('./markdown-pdf.js')).markdownPdf(job.markdown, job.layout);
    case 'program': {
      const program = (await import(job.url)) as { run: (order: unknown) => unknown };
      return await program.run(job.order);
    }
  }
}
