// Reads documents as text in a process of its own (read-program.ts): they come from strangers.
import {
  FinalFailure,
  type DocumentReader,
  type PluginJobs,
  type LoadedDocument,
} from '@downbeat/plugin';
import type { ReadOrder } from './read-program.js';

const program = new URL('./read-program.js', import.meta.url);

/** Throws FinalFailure for a document that is not of this form. */
export async function readAs(
  form: ReadOrder['form'],
  isolatedJobs: PluginJobs,
  { bytes, charset }: LoadedDocument,
  signal: AbortSignal,
): Promise<string> {
  const order: ReadOrder = { form, bytes, charset };
  try {
    return (await isolatedJobs.run(program, order, signal)) as string;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FinalFailure(`The document could not be read: ${why}`, { cause: error });
  }
}

const reader = (mediaType: string, form: ReadOrder['form']): DocumentReader => ({
  mediaType,
  read: (isolatedJobs, document, signal) => readAs(form, isolatedJobs, document, signal),
});

export const documentReaders: readonly DocumentReader[] = [
  reader('application/pdf', 'pdf'),
  reader('text/html', 'html'),
  reader('application/xhtml+xml', 'html'),
];
