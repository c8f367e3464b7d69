// Settings of what stands outside Redis: files, large payloads, the archive.
import { flag, integer } from '../../settings/setting.js';

export const storageSettings = {
  archive: flag(
    'Finished executions are written to the object store before they are removed, and still read by their id',
    false,
  ),
  payloadBytesPerDayMax: integer(
    'Bytes of payloads outside requests that one caller without roles may store at a node in a day; 0 = any',
    1024 ** 3,
    0,
  ),
  objectUrlSeconds: integer('How long the URL of an object is valid, seconds', 900, 10, 604_800),
  filesPerExecutionMax: integer('Files of one execution', 1000, 1, 100_000),
  earlyFilesPerCallerMax: integer(
    'Files that one caller has made for executions that do not exist',
    100,
    0,
    100_000,
  ),
  earlyFileSeconds: integer('A file whose execution does not come ends after, seconds', 86_400, 60),
} as const;
