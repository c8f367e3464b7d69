// The program of a process that carries out one heavy job and ends. Libraries are loaded by the job
// that needs them.
import type { HeavyAnswer, HeavyJob } from './job.js';

// The server has ended: nobody waits for the result.
process.once('disconnect', () => process.exit());

process.once('message', (job) => {
  void carryOut(job as HeavyJob)
    .then(
      (result): HeavyAnswer => ({ ok: true, result }),
      (error: unknown): HeavyAnswer => ({
        ok: false,
        reason: error instanceof Error ? error.message : String(error),
      }),
    )
    .then((answer) => process.send?.(answer, () => process.disconnect()));
});

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
    case 'write-pdf':
      return await (await import('./markdown-pdf.js')).markdownPdf(job.markdown, job.layout);
    case 'sqlite':
      return (await import('./sqlite-job.js')).runSqlite(job);
  }
}
