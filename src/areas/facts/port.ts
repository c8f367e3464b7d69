// The memory of the store as endpoints answer it; the overview shows it, too.
import { integer, object } from '../../model/schema.js';

export const usageSchema = object(
  'StoreUsage',
  { usedBytes: integer('Memory in use'), limitBytes: integer('Its limit; 0 for none') },
  ['usedBytes', 'limitBytes'],
);
