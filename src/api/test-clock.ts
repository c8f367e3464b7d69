// The clock of a test server: shows it and moves it. Other servers do not have these routes.
import { AppError } from '../model/errors.js';
import { replies, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as form from './form.js';
import { json } from './route.js';

export interface MovableTime {
  readonly now: number;
  readonly skippedMs: number;
  nextDueAt(): Promise<number>;
  advance(ms: number): Promise<number>;
}

const clockMembers = {
  now: form.time('Time of the server, epoch milliseconds'),
  skippedMs: form.integer('How far it is ahead of real time', { format: 'int64' }),
  nextDueAt: form.time('When something is due next; absent: nothing is'),
};

export function testClockRoutes(time: MovableTime, advanceMsMax: number): Endpoint[] {
  const shown = async (): Promise<Record<string, number>> => {
    const nextDueAt = await time.nextDueAt();
    const { now, skippedMs } = time;
    return { now, skippedMs, ...(nextDueAt === Infinity ? {} : { nextDueAt }) };
  };
  return [
    {
      method: 'GET',
      pattern: '/api/test/clock',
      name: 'getTestClock',
      summary: 'Shows the clock of a test server and what is due next.',
      access: administrators,
      parameters: {},
      body: null,
      replies: replies(form.object('TestClock', clockMembers, ['now', 'skippedMs'])),
      errors: [],
      handle: async () => json(await shown()),
    },
    {
      method: 'POST',
      pattern: '/api/test/clock/advance',
      name: 'advanceTestClock',
      summary: 'Moves the clock on, through each due time in order; answers once the server rests.',
      access: administrators,
      parameters: {},
      body: {
        required: true,
        form: form.object(
          'TestClockAdvance',
          { ms: form.integer('Milliseconds', { minimum: 0, maximum: advanceMsMax }) },
          ['ms'],
        ),
      },
      replies: replies(
        form.object(
          'TestClockAdvanced',
          { ...clockMembers, stops: form.integer('Due times that were passed') },
          ['now', 'skippedMs', 'stops'],
        ),
      ),
      errors: ['bad-request', 'conflict'],
      handle: async (request) => {
        const stops = await time.advance(msOf(request.jsonMap(), advanceMsMax));
        return json({ ...(await shown()), stops });
      },
    },
  ];
}

function msOf(body: Readonly<Record<string, unknown>>, most: number): number {
  for (const name of Object.keys(body)) {
    if (name !== 'ms') throw new AppError('bad-request', `'${name}' is no field of this request`);
  }
  const { ms } = body;
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= most) return ms;
  throw new AppError('bad-request', `'ms' must be a whole number from 0 to ${most}`);
}
