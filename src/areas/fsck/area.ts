// The check of the invariants of the store as an endpoint (docs/fsck.md): one run at a time on each
// node.
import { AppError } from '../../model/errors.js';
import { systemClock } from '../../std/clock.js';
import { area } from '../area.js';
import { fsckRoutes } from './endpoints.js';

const suspectsMax = 1_000;

export const fsck = area({
  name: 'fsck',
  about: 'Checks what is stored against the promises, and mends what can be derived.',
  settings: {},
  records: {},
  needs: ['clock', 'log', 'keyspaceCheck'],
  build({ clock, log, keyspaceCheck: { prepare, settleMs, areaFindings } }) {
    let isRunning = false;
    const endpoints = fsckRoutes(async ({ walkMsMax, repairs }) => {
      if (isRunning) {
        throw new AppError('conflict', 'A check of the store runs on this node already');
      }
      isRunning = true;
      try {
        const endAt = clock.monotonic() + walkMsMax;
        const report = await prepare({
          ...{ clock: systemClock, settleMs, repairs, suspectsMax },
          isOver: () => clock.monotonic() > endAt,
        }).run();
        for (const violation of report.violations) {
          log.warn(violation, 'the check of the store found a violation');
        }
        return report;
      } finally {
        isRunning = false;
      }
    }, areaFindings);
    return { endpoints };
  },
});
