// Checks the invariants of the store, and mends what can be derived (docs/fsck.md).
import { AppError } from '../../model/errors.js';
import { findingKinds } from '../../fsck/finding.js';
import { repairNames, type FsckReport } from '../../fsck/fsck.js';
import { endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { administrators } from '../../api/execution-access.js';
import * as schema from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';

const violationSchema = (kinds: readonly string[]): schema.Schema =>
  schema.object(
    'Violation',
    {
      kind: schema.oneOf(kinds),
      invariant: schema.text('The promise that it breaks'),
      subject: schema.text('Id or name of what is wrong'),
      keys: schema.list(schema.text(), 'Keys of the store that disagree'),
      sentence: schema.text(),
      repair: schema.oneOf([...repairNames]),
    },
    ['kind', 'invariant', 'subject', 'keys', 'sentence', 'repair'],
  );

const reportSchema = (kinds: readonly string[]) =>
  schema.object(
    'FsckReport',
    {
      violations: schema.list(violationSchema(kinds)),
      inspected: schema.mapOf(schema.integer(), 'What was inspected, by check'),
      passing: schema.integer('Differences of the first pass that were gone at the second'),
      complete: schema.flag('False when time or room ended before the walk did'),
    },
    ['violations', 'inspected', 'passing', 'complete'],
  );

const secondsDefault = 10;
const secondsMax = 300;

/** Runs a check that ends its walk after so many milliseconds. Rejects with AppError 'conflict'. */
export type RunFsck = (options: { walkMsMax: number; repairs: boolean }) => Promise<FsckReport>;

/** `areaFindings`: kinds of what the checks of areas can find. */
export function fsckRoutes(run: RunFsck, areaFindings: readonly string[]): Endpoint[] {
  // Two areas may have dead letters, which are found by the same kinds.
  const kinds = [...new Set([...Object.keys(findingKinds), ...areaFindings])];
  const about = {
    pattern: '/api/admin/fsck',
    access: administrators,
    parameters: {
      seconds: query(
        schema.integer(`How long the walk may take, at most ${secondsMax}`, {
          default: secondsDefault,
        }),
      ),
    },
    reply: reportSchema(kinds),
    errors: ['conflict'],
  } as const;
  const handle = async (request: RouteRequest, repairs: boolean): Promise<FsckReport> => {
    const seconds = request.queryNumber('seconds');
    if (seconds < 1 || seconds > secondsMax) {
      throw new AppError('bad-request', `Parameter 'seconds' must be from 1 to ${secondsMax}`);
    }
    return await run({ walkMsMax: seconds * 1000, repairs });
  };
  return [
    endpoint({
      ...about,
      method: 'GET',
      name: 'checkStore',
      summary: 'Checks the invariants of everything that is stored. Changes nothing.',
      handle: (request) => handle(request, false),
    }),
    endpoint({
      ...about,
      method: 'POST',
      name: 'repairStore',
      summary: 'Checks the same, and mends what can be derived from what is stored.',
      handle: (request) => handle(request, true),
    }),
  ];
}
