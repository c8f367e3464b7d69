// The clock of a test server: shows it and moves it. Other servers do not have these routes.
import { AppError, noSuchWorkflow } from '../model/errors.js';
import { body as bodyOf, endpoint, type Endpoint } from './endpoint.js';
import { administrators } from './execution-access.js';
import * as schema from '../model/schema.js';

export interface MovableTime {
  readonly now: number;
  readonly skippedMs: number;
  readonly heldBy: string | undefined;
  nextDueAt(): Promise<number>;
  advance(ms: number): Promise<number>;
  run(isOver: () => Promise<boolean>, waitMs: number): Promise<ClockRun>;
}

interface ClockRun {
  readonly stops: number;
  readonly end: 'over' | 'nothing-due' | 'waited-enough';
}

export interface TestClockParts {
  readonly time: MovableTime;
  /** The clock that moves by itself. */
  readonly auto: { readonly isOn: boolean; set(isOn: boolean): Promise<void> };
  readonly advanceMsMax: number;
  /** Status of an execution and whether it has ended; undefined: there is none. */
  readonly statusOf: (id: string) => Promise<{ status: string; hasEnded: boolean } | undefined>;
}

/** How long `run` waits for workers by default and at most, real ms. */
const waitMsDefault = 10_000;
const waitMsMax = 600_000;

const clockMembers = {
  now: schema.time('Time of the server, epoch milliseconds'),
  skippedMs: schema.integer('How far it is ahead of real time', { format: 'int64' }),
  auto: schema.flag('Whether it moves by itself'),
  nextDueAt: schema.time('When something is due next; absent: nothing is'),
  heldBy: schema.text('What keeps it from moving by itself; absent: nothing does'),
};
const clockAlways = ['now', 'skippedMs', 'auto'] as const;
const clockSchema = schema.object('TestClock', clockMembers, clockAlways);
const stops = schema.integer('Due times that were passed');

type Shown = schema.ValueOf<typeof clockSchema>;

export function testClockRoutes(parts: TestClockParts): Endpoint[] {
  const { time, auto, advanceMsMax } = parts;
  const shown = async (): Promise<Shown> => {
    const nextDueAt = await time.nextDueAt();
    const { now, skippedMs, heldBy } = time;
    return {
      ...{ now, skippedMs, auto: auto.isOn },
      ...(nextDueAt === Infinity ? {} : { nextDueAt }),
      ...(heldBy === undefined ? {} : { heldBy }),
    };
  };
  const entry = { access: administrators } as const;
  return [
    endpoint({
      ...entry,
      method: 'GET',
      pattern: '/api/test/clock',
      name: 'getTestClock',
      summary: 'Shows the clock of a test server and what is due next.',
      reply: clockSchema,
      handle: () => shown(),
    }),
    endpoint({
      ...entry,
      method: 'PUT',
      pattern: '/api/test/clock',
      name: 'setTestClock',
      summary: 'Lets the clock move by itself whenever nothing is under way, or stops that.',
      body: bodyOf(schema.object('TestClockMode', { auto: schema.flag() }, ['auto'])),
      reply: clockSchema,
      errors: ['bad-request'],
      handle: async (request) => {
        const body = fieldsOf(request.jsonMap(), ['auto']);
        if (typeof body['auto'] !== 'boolean') {
          throw new AppError('bad-request', `'auto' must be true or false`);
        }
        await auto.set(body['auto']);
        return await shown();
      },
    }),
    endpoint({
      ...entry,
      method: 'POST',
      pattern: '/api/test/clock/advance',
      name: 'advanceTestClock',
      summary: 'Moves the clock on, through each due time in order; answers once the server rests.',
      body: bodyOf(
        schema.object(
          'TestClockAdvance',
          { ms: schema.integer('Milliseconds', { minimum: 0, maximum: advanceMsMax }) },
          ['ms'],
        ),
      ),
      reply: schema.object('TestClockAdvanced', { ...clockMembers, stops }, [
        ...clockAlways,
        'stops',
      ]),
      errors: ['bad-request', 'conflict'],
      handle: async (request) => {
        const body = fieldsOf(request.jsonMap(), ['ms']);
        const passed = await time.advance(wholeOf(body['ms'], 'ms', advanceMsMax));
        return { ...(await shown()), stops: passed };
      },
    }),
    runRoute(parts, shown),
  ];
}

function runRoute({ time, statusOf }: TestClockParts, shown: () => Promise<Shown>): Endpoint {
  const members = {
    ...clockMembers,
    stops,
    status: schema.text('Status of the execution'),
    end: schema.oneOf(
      ['over', 'nothing-due', 'waited-enough'],
      'Why it answers: the execution has ended; nothing is due that could move it; something was under way for longer than waitMs',
    ),
  };
  return endpoint({
    method: 'POST',
    pattern: '/api/test/clock/run',
    name: 'runTestClock',
    summary: 'Moves the clock from due time to due time until an execution has ended.',
    access: administrators,
    body: bodyOf(
      schema.object(
        'TestClockRun',
        {
          workflowId: schema.text(),
          waitMs: schema.integer('How long it waits for what is under way, real milliseconds', {
            ...{ minimum: 0, maximum: waitMsMax },
          }),
        },
        ['workflowId'],
      ),
    ),
    reply: schema.object('TestClockRan', members, [...clockAlways, 'stops', 'status', 'end']),
    errors: ['bad-request', 'not-found', 'conflict'],
    handle: async (request) => {
      const body = fieldsOf(request.jsonMap(), ['workflowId', 'waitMs']);
      const { workflowId: id, waitMs = waitMsDefault } = body;
      if (typeof id !== 'string' || id === '') {
        throw new AppError('bad-request', `'workflowId' must be the id of an execution`);
      }
      const known = async (): Promise<{ status: string; hasEnded: boolean }> => {
        const found = await statusOf(id);
        if (found === undefined) throw noSuchWorkflow(id);
        return found;
      };
      const isOver = async (): Promise<boolean> => (await known()).hasEnded;
      const ran = await time.run(isOver, wholeOf(waitMs, 'waitMs', waitMsMax));
      const { status } = await known();
      return { ...(await shown()), ...ran, status };
    },
  });
}

type Body = Readonly<Record<string, unknown>>;

function fieldsOf(body: Body, known: readonly string[]): Body {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown === undefined) return body;
  throw new AppError('bad-request', `'${unknown}' is no field of this request`);
}

function wholeOf(value: unknown, name: string, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) {
    return value;
  }
  throw new AppError('bad-request', `'${name}' must be a whole number from 0 to ${most}`);
}
