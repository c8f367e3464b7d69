// LIST_FILES (semantics 4.23): the files below a folder that the setting documentFolders allows.
import {
  reachesNothing,
  FinalFailure,
  documentPath,
  completed,
  type PluginTask,
  type PluginServices,
  type PluginTaskType,
  checkParameters,
  list,
  map,
  requiredText,
  TaskInput,
  text,
} from '@downbeat/plugin';
import { refuseStorage } from './document-input.js';

const parameters = {
  inputLocation: requiredText,
  fileTypes: list,
  integrationName: text,
  integrationNames: map,
  outputLocation: text,
};

export const listFilesTask: PluginTaskType = {
  name: 'LIST_FILES',
  reaches: reachesNothing,
  check: checkParameters(parameters),
  create: createListFilesTask,
};

export function createListFilesTask({
  documents,
  folders,
}: Pick<PluginServices, 'documents' | 'folders'>): PluginTask {
  return {
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      refuseStorage(input);
      const location = input.text('inputLocation');
      const folder = documentPath(location);
      if (folder === undefined) {
        throw new FinalFailure(`Files are listed below file: addresses, not ${location}`);
      }
      const files = await folders.list(folder, input.texts('fileTypes'));
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
