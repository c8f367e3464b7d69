// LIST_FILES (semantics 4.23): the files below a folder that the setting documentFolders allows.
import {
  completed,
  documentPath,
  FinalFailure,
  list,
  map,
  parameterTask,
  reachesNothing,
  requiredText,
  text,
} from '@downbeat/plugin';
import { refuseStorage } from './document-input.js';

export const listFilesTask = parameterTask({
  name: 'LIST_FILES',
  reaches: reachesNothing,
  parameters: {
    inputLocation: requiredText,
    fileTypes: list,
    integrationName: text,
    integrationNames: map,
    outputLocation: text,
  },
  async run({ documents, folders }, run, input) {
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
});
