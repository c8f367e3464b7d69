// Raw requests (raw-http.ts) to a whole server: each is refused, or answered once, and none of what
// it carries behind it is taken for a request of its own.
import type { AttackList } from './attack.js';
import { faultOf, rawCases, sendRaw } from './raw-http.js';

export const rawAttacks: AttackList = {
  name: 'raw-http',
  async run({ server, tried }) {
    const port = Number(new URL(server.url).port);
    const faults = rawCases.map(async (raw) => {
      const answer = await sendRaw(port, raw.bytes);
      tried();
      // The server has no such route, so what was handled shows as an answer too many.
      return faultOf(
        raw,
        answer,
        answer.statuses.slice(1).map(() => '/smuggled'),
      );
    });
    return (await Promise.all(faults)).filter((fault) => fault !== undefined);
  },
};
