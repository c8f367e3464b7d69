// Executions that ended at another server, brought here as history to read (docs/moving).
import { area } from '../area.js';
import { importRoutes } from './endpoints.js';

export const imports = area({
  name: 'imports',
  about:
    'Executions that ended at another server, stored as history that is read and never changed.',
  settings: {},
  records: {},
  needs: ['operations'],
  build: ({ operations }) => ({ endpoints: importRoutes(operations) }),
});
