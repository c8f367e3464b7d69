// Executions that are set aside because nodes died of them (invariants M13), for the people who
// find out why.
import { area } from '../area.js';
import { quarantineRoutes } from './endpoints.js';

export const quarantine = area({
  name: 'quarantine',
  about: 'Executions set aside because nodes died of them: who finds out why releases them.',
  settings: {},
  records: {},
  needs: ['operations', 'quarantineMarks', 'shards'],
  build({ operations: { executions }, quarantineMarks, shards }) {
    const context = { executions, store: quarantineMarks, shards };
    return { endpoints: quarantineRoutes(context) };
  },
});
