// The check of the store's invariants as an endpoint: one run at a time on each node.
import { fsckRoutes } from '../api/fsck-routes.js';
import type { Area, AreaParts } from './area.js';
import { areaFindings, buildFsck, fsckSettleMs } from './build-fsck.js';
import { AppError } from '../model/errors.js';
import { systemClock } from '../std/clock.js';

const suspectsMax = 1_000;

export function fsckArea({ settings, clock, redis, log }: AreaParts): Area {
  const { shards, retentionSeconds } = settings;
  let isRunning = false;
  const endpoints = fsckRoutes(async ({ walkMsMax, repairs }) => {
    if (isRunning) throw new AppError('conflict', 'A check of the store runs on this node already');
    isRunning = true;
    try {
      const endAt = clock.monotonic() + walkMsMax;
      const report = await buildFsck(
        { redis, shards, retentionSeconds, now: () => clock.now() },
        {
          ...{ clock: systemClock, settleMs: fsckSettleMs, repairs, suspectsMax },
          isOver: () => clock.monotonic() > endAt,
        },
      ).run();
      for (const violation of report.violations) {
        log.warn(violation, 'the check of the store found a violation');
      }
      return report;
    } finally {
      isRunning = false;
    }
  }, Object.keys(areaFindings));
  return { endpoints, services: [] };
}
