// Makes the templates of the gallery from the pages of docs/gallery when the page is built, so that
// each definition is written once: the page of the handbook. Relies on the pieces of JSON that
// test/server/gallery.test.ts runs: `definition`, `input`, `workers` and `people`.
import path from 'node:path';
import type { Plugin } from 'vite';

const folder = path.resolve(import.meta.dirname, '..', 'docs', 'gallery');

/** A page of the gallery that is imported is the template that it describes. */
export function galleryTemplates(): Plugin {
  return {
    name: 'gallery-templates',
    enforce: 'pre',
    transform(text, id) {
      if (path.dirname(id) !== folder || !id.endsWith('.md')) return undefined;
      const template = templateOfPage(text);
      return { code: `export default ${JSON.stringify(template)};`, map: null };
    },
  };
}

/** Throws an Error for a page without a title, a first sentence or a definition. */
function templateOfPage(text: string): object {
  const [, title, about] = /^# (.+)\n\n(.+)\n/.exec(text) ?? [];
  const workflows = blocksOf(text, 'definition');
  if (title === undefined || about === undefined || workflows.length === 0) {
    throw new Error('a page of the gallery has a title, a sentence and a definition');
  }
  const [input = {}] = blocksOf(text, 'input');
  const [answers = {}] = blocksOf(text, 'workers');
  const [people = {}] = blocksOf(text, 'people');
  const [tasks = {}] = blocksOf(text, 'tasks');
  const workers = Object.entries(answers).map(([type, answer]) => [type, workerOf(answer)]);
  return {
    title,
    about: about.replaceAll('`', ''),
    workflows: workflows.map((workflow) => withVersions(workflow, workflows)),
    taskDefinitions: [],
    input,
    workers: Object.fromEntries(workers) as object,
    people,
    rounds: Math.max(1, ...Object.keys(tasks).map(roundOf)),
  };
}

/** The round of a loop that a task of it stands in, such as `charge__2`. */
function roundOf(ref: string): number {
  return Number(/__(\d+)$/.exec(ref)?.[1] ?? 1);
}

/**
 * A simulated run does not know the workflows that a template brings, so their versions, which a
 * start would look up, are written down.
 */
function withVersions(workflow: object, brought: readonly object[]): object {
  const named = brought as readonly { readonly name: string; readonly version: number }[];
  return JSON.parse(JSON.stringify(workflow), (key, value: unknown) => {
    if (key !== 'subWorkflowParam') return value;
    const params = value as { readonly name?: string };
    const version = named.find(({ name }) => name === params.name)?.version;
    return version === undefined ? params : { version, ...params };
  }) as object;
}

/** The answer of a worker is an output, or how the task ends. */
function workerOf(answer: unknown): object {
  const ends = (answer as { readonly status?: unknown }).status;
  return ends === undefined ? { output: answer } : { output: {}, ends };
}

/** The pieces of JSON of a page that have this word behind their language. */
function blocksOf(text: string, kind: string): readonly object[] {
  const pattern = new RegExp(`^\`\`\`json ${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...text.matchAll(pattern)].map(([, json = '']) => JSON.parse(json) as object);
}
