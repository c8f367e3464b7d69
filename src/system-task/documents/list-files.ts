// LIST_FILES (semantics 4.23): the files below a folder that the setting documentFolders allows.
import { reachesNothing } from '../../engine/reaches.js';
import { FinalFailure } from '../final-failure.js';
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, list, map, requiredText, TaskInput, text } from '../task-input.js';
import { refuseStorage } from './document-input.js';
import { DocumentFolders } from './folders.js';

const parameters = {
  inputLocation: requiredText,
  fileTypes: list,
  integrationName: text,
  integrationNames: map,
  outputLocation: text,
};

export const listFilesTask: SystemTaskType = {
  ...ordinaryType,
  name: 'LIST_FILES',
  reaches: reachesNothing,
  check: checkParameters(parameters),
  create: createListFilesTask,
};

export function createListFilesTask({
  documents,
}: Pick<SystemTaskServices, 'documents'>): SystemTask {
  return {
    ...ordinaryRun,
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      refuseStorage(input);
      const location = input.text('inputLocation');
      const folder = DocumentFolders.pathOf(location);
      if (folder === undefined) {
        throw new FinalFailure(`Files are listed below file: addresses, not ${location}`);
      }
      const files = await documents.folders.list(folder, input.texts('fileTypes'));
      const output = input.text('outputLocation');
      if (output === '') return completed(run, { files });
      const made = {
        bytes: Buffer.from(JSON.stringify(files)),
        mimeType: 'application/json',
      };
      const kept = await documents.keep(made, { location: output, name: run.ref });
      return completed(run, { files, outputLocation: kept });
    },
  };
}
