// Facts of the server (contract-admin 18) out of its settings and the state of its store.
import { area } from '../area.js';
import { serverFactRoutes } from './endpoints.js';

export const facts = area({
  name: 'facts',
  about: 'Facts that clients and the page ask: limits, how one signs in, memory of the store.',
  settings: {},
  records: {},
  needs: ['version', 'shownLimits', 'signInFacts', 'storeMemory'],
  build: ({ version, shownLimits: limits, signInFacts, storeMemory }) => ({
    endpoints: serverFactRoutes({
      ...{ limits, storeMemory },
      page: () => ({ version, ...signInFacts() }),
    }),
  }),
});
