// GET_DOCUMENT (semantics 4.23): the text of a document.
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, requiredText, TaskInput, text } from '../task-input.js';
import { hostOf } from './document-input.js';

const parameters = { url: requiredText, mediaType: text };

export const getDocumentTask: SystemTaskType = {
  ...ordinaryType,
  name: 'GET_DOCUMENT',
  check: checkParameters(parameters),
  create: createGetDocumentTask,
};

export function createGetDocumentTask({
  documents,
}: Pick<SystemTaskServices, 'documents'>): SystemTask {
  return {
    ...ordinaryRun,
    lane: hostOf,
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const address = { url: input.text('url'), mediaType: input.text('mediaType') };
      return completed(run, { result: await documents.read(run, address) });
    },
  };
}
