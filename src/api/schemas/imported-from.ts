// The mark of an execution that ended at another server and was imported as history.
import { object, text, time } from '../../model/schema.js';

export const importedFrom = object('ImportedFrom', {
  workflowId: text('Its id at the other server'),
  from: text('Address of the other server'),
  importedAt: time(),
});
