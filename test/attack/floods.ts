// What one caller does to take a node from all others: one entry per flood, each bounded in time
// and in count. flooder.ts carries one out in a process of its own, neighbour.ts measures meanwhile
// what others get, and measure-floods.ts compares that with the same measurement without a flood.
import type { WireWorkflowDef } from '../../testkit/wire.js';
import type { Crowd } from './crowd.js';

export interface Flood {
  readonly name: string;
  /** What it does: a sentence. */
  readonly about: string;
  /** Connections of the flooder. */
  readonly connections: number;
  /** One of those that CI carries out. */
  readonly isInShortForm: boolean;
  readonly definitions: readonly WireWorkflowDef[];
  readonly taskTypes: readonly string[];
  /** Until `crowd.isOver`. */
  run(crowd: Crowd): Promise<void>;
}

/** The webhook that an administrator makes before the floods; its secret is not the flooder's. */
export const floodedWebhook = 'flooded';

const simple = (name: string): WireWorkflowDef['tasks'][number] => ({
  ...{ name, taskReferenceName: name, type: 'SIMPLE' },
});

function definition(name: string, tasks: WireWorkflowDef['tasks']): WireWorkflowDef {
  return { name, version: 1, schemaVersion: 2, ownerEmail: 'flood@example.org', tasks };
}

/** A start by name; the new execution's id, undefined when it was refused. */
async function start(crowd: Crowd, body: unknown): Promise<string | undefined> {
  const { status, body: id } = await crowd.send('POST', '/api/workflow', JSON.stringify(body));
  crowd.count(status === 200 ? 'started' : `start answered ${status}`);
  return status === 200 ? id : undefined;
}

const startOf = (name: string, input: object = {}): object => ({ name, version: 1, input });

const endlessLoops: Flood = {
  ...{ name: 'endless-loops', isInShortForm: true, connections: 10, taskTypes: [] },
  about: 'ten executions of a loop without end, each started again when it has used up its records',
  definitions: [
    definition('flood_loop', [
      {
        ...{ name: 'loop', taskReferenceName: 'loop', type: 'DO_WHILE' },
        loopCondition: 'true',
        loopOver: [
          {
            ...{ name: 'set', taskReferenceName: 'set', type: 'SET_VARIABLE' },
            inputParameters: { at: '${loop.output.iteration}' },
          },
        ],
      },
    ]),
  ],
  async run(crowd) {
    await crowd.each(10, async () => {
      const id = await start(crowd, startOf('flood_loop'));
      if (id === undefined) return crowd.pause(100);
      crowd.hold(id);
      while (!crowd.isOver) {
        await crowd.pause(500);
        const { body } = await crowd.send('GET', `/api/workflow/${id}/status`);
        if (!body.includes('RUNNING')) return;
      }
    });
  },
};

const slowScripts: Flood = {
  ...{ name: 'slow-scripts', isInShortForm: true, connections: 16, taskTypes: [] },
  about: 'four hundred executions whose script never ends, each with a text of its own',
  definitions: [],
  async run(crowd) {
    let left = 400;
    await crowd.each(16, async () => {
      if (left-- <= 0) return crowd.pause(500);
      const tasks = [
        {
          ...{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT' },
          inputParameters: { duration: '1 second' },
        },
        {
          ...{ name: 'spin', taskReferenceName: 'spin', type: 'INLINE' },
          inputParameters: {
            evaluatorType: 'javascript',
            expression: `(function () { while (true) { /* ${left} */ } })()`,
          },
        },
      ];
      const workflowDef = definition(`flood_script_${left % 50}`, tasks);
      const id = await start(crowd, { ...startOf(workflowDef.name), workflowDef });
      if (id !== undefined) crowd.hold(id);
    });
  },
};

const forks: Flood = {
  ...{ name: 'forks', isInShortForm: true, connections: 6, taskTypes: ['flood_branch'] },
  about: 'six forks of 40,000 branches at once',
  definitions: [
    definition('flood_fork', [
      {
        ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN_DYNAMIC' },
        inputParameters: {
          forkTaskName: 'flood_branch',
          forkTaskInputs: '${workflow.input.items}',
        },
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN' },
    ]),
  ],
  async run(crowd) {
    let left = 6;
    const items = Array.from({ length: 40_000 }, (_, at) => at);
    await crowd.each(6, async () => {
      if (left-- <= 0) return crowd.pause(500);
      const id = await start(crowd, startOf('flood_fork', { items }));
      if (id !== undefined) crowd.hold(id);
    });
  },
};

const startBomb: Flood = {
  ...{ name: 'start-bomb', isInShortForm: true, connections: 1, taskTypes: ['flood_never'] },
  about: 'an execution that starts itself twice, and so does each of those',
  definitions: [
    definition('flood_bomb', [
      {
        ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN' },
        forkTasks: ['a', 'b'].map((ref) => [
          {
            ...{ name: ref, taskReferenceName: ref, type: 'START_WORKFLOW' },
            inputParameters: { startWorkflow: { name: 'flood_bomb', version: 1, input: {} } },
          },
        ]),
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['a', 'b'] },
      simple('flood_never'),
    ] as WireWorkflowDef['tasks']),
  ],
  async run(crowd) {
    const id = await start(crowd, startOf('flood_bomb'));
    if (id !== undefined) crowd.hold(id);
    await crowd.over;
  },
};

const largeOutputs: Flood = {
  ...{ name: 'large-outputs', isInShortForm: true, connections: 4, taskTypes: ['flood_large'] },
  about: 'four workers that report outputs of 10 MB, eighty in all',
  definitions: [definition('flood_large', [simple('flood_large')])],
  async run(crowd) {
    const text = noise(10 * 1024 * 1024 - 100_000);
    let left = 80;
    await crowd.each(4, async () => {
      if (left <= 0) return crowd.pause(500);
      await start(crowd, startOf('flood_large'));
      const [task] = await poll(crowd, 'flood_large', 1);
      if (task === undefined) return crowd.pause(20);
      left -= 1;
      const { workflowInstanceId, taskId } = task;
      const result = { workflowInstanceId, taskId, status: 'COMPLETED' };
      const body = `${JSON.stringify(result).slice(0, -1)},"outputData":{"text":"${text}"}}`;
      const { status } = await crowd.send('POST', '/api/tasks', body);
      crowd.count(status === 200 ? 'reported' : `report answered ${status}`);
      if (status !== 200) await crowd.pause(200);
    });
  },
};

const failingTasks: Flood = {
  ...{ name: 'failing-tasks', isInShortForm: true, connections: 12, taskTypes: ['flood_fail'] },
  about: 'workers that report 600 failures a second, each tried again at once',
  definitions: [definition('flood_fail', [simple('flood_fail')])],
  async run(crowd) {
    const beat = crowd.beat(600);
    await Promise.all([
      crowd.each(2, async () => {
        await beat(5);
        await start(crowd, startOf('flood_fail'));
      }),
      crowd.each(8, async () => {
        const tasks = await poll(crowd, 'flood_fail', 20);
        for (const { workflowInstanceId, taskId } of tasks) {
          await beat(1);
          const reasonForIncompletion = 'the worker says no';
          const result = { workflowInstanceId, taskId, status: 'FAILED', reasonForIncompletion };
          const { status } = await crowd.send('POST', '/api/tasks', JSON.stringify(result));
          crowd.count(status === 200 ? 'failed' : `report answered ${status}`);
        }
      }),
    ]);
  },
};

const webhookSecrets: Flood = {
  ...{
    name: 'webhook-secrets',
    isInShortForm: true,
    connections: 24,
    taskTypes: [],
    definitions: [],
  },
  about: 'strangers who call a webhook with a wrong secret, up to 8,000 times a second',
  async run(crowd) {
    const beat = crowd.beat(8000);
    await crowd.each(24, async () => {
      await beat(1);
      const { status } = await crowd.send('POST', `/webhook/${floodedWebhook}`, '{"id":1}', {
        'X-Key': 'wrong',
      });
      crowd.count(`answered ${status}`);
    });
  },
};

const starts: Flood = {
  ...{ name: 'starts', isInShortForm: false, connections: 64, taskTypes: ['flood_never'] },
  about: 'a caller who starts executions on 64 connections as fast as they are answered',
  definitions: [definition('flood_start', [simple('flood_never')])],
  async run(crowd) {
    await crowd.each(64, async () => {
      if ((await start(crowd, startOf('flood_start'))) === undefined) await crowd.pause(20);
    });
  },
};

const polls: Flood = {
  ...{ name: 'polls', isInShortForm: false, connections: 1000, taskTypes: ['flood_never'] },
  about: 'a thousand polls that wait 200 ms for tasks that never come',
  definitions: [],
  async run(crowd) {
    await crowd.each(1000, async () => {
      const route = '/api/tasks/poll/batch/flood_never?count=1&timeout=200';
      const { status } = await crowd.send('GET', route);
      crowd.count(`answered ${status}`);
      if (status !== 200) await crowd.pause(200);
    });
  },
};

const parkedTypes = 400;

const manyPolls: Flood = {
  ...{ name: 'many-polls', isInShortForm: false, connections: 3000 },
  about: 'three thousand polls that wait, for four hundred types that have no tasks',
  taskTypes: [],
  definitions: [],
  async run(crowd) {
    let next = 0;
    await crowd.each(3000, async () => {
      const route = `/api/tasks/poll/batch/flood_type_${next++ % parkedTypes}?count=1&timeout=3000`;
      const { status } = await crowd.send('GET', route);
      crowd.count(`answered ${status}`);
      if (status !== 200) await crowd.pause(200);
    });
  },
};

const searches: Flood = {
  ...{ name: 'searches', isInShortForm: true, connections: 12, taskTypes: ['flood_never'] },
  about: 'twelve searches at a time for texts with many stars, among 400 executions of 16 KB',
  definitions: [definition('flood_found', [simple('flood_never')])],
  async run(crowd) {
    const text = 'ab'.repeat(8 * 1024);
    let left = 400;
    let next = 0;
    await crowd.each(12, async () => {
      if (left-- > 0) return void (await start(crowd, startOf('flood_found', { text })));
      const stars = `*${'a*b*'.repeat(12)}c`;
      const paths = [
        `/api/workflow/search?size=500&query=${encodeURIComponent(`input = "${stars}"`)}`,
        `/api/workflow/search?size=500&freeText=${encodeURIComponent(stars)}`,
        `/api/tasks/search?size=500&query=${encodeURIComponent(`input = "${stars}"`)}`,
        '/api/workflow/search-v2?size=500&sort=endTime:ASC',
      ];
      const { status } = await crowd.send('GET', paths[next++ % paths.length] as string);
      crowd.count(`answered ${status}`);
    });
  },
};

const streams: Flood = {
  ...{ name: 'streams', isInShortForm: false, connections: 400, taskTypes: ['flood_never'] },
  about: 'streams of changes, as many as are let in, beside starts whose changes they show',
  definitions: [definition('flood_shown', [simple('flood_never')])],
  async run(crowd) {
    let next = 0;
    const streamOf = (at: number): string => {
      const windows = Array.from({ length: 20 }, (_, i) => `&topics=overview:${at * 20 + i + 1}m`);
      return `/api/stream?topics=executions&topics=queues&topics=inbox${windows.join('')}`;
    };
    await Promise.all([
      crowd.each(390, async () => {
        const { status } = await crowd.send('GET', streamOf(next++));
        crowd.count(`answered ${status}`);
        if (status !== 0) await crowd.pause(500);
      }),
      crowd.each(8, async () => {
        if ((await start(crowd, startOf('flood_shown'))) === undefined) await crowd.pause(20);
      }),
    ]);
  },
};

const bulkRestarts: Flood = {
  ...{ name: 'bulk-restarts', isInShortForm: false, connections: 8, taskTypes: [] },
  about: 'bulk jobs that restart hundreds of ended executions, a thousand a second each',
  definitions: [
    definition('flood_ended', [{ name: 'noop', taskReferenceName: 'noop', type: 'NOOP' }]),
  ],
  async run(crowd) {
    const ids: string[] = [];
    await crowd.each(8, async () => {
      if (ids.length < 500) {
        const id = await start(crowd, startOf('flood_ended'));
        if (id !== undefined) ids.push(id);
        return;
      }
      const plan = { action: 'restart', ids, canary: 0, ratePerSecond: 1000, stopAfterFailures: 0 };
      const made = await crowd.send('POST', '/api/bulk-jobs', JSON.stringify(plan));
      const { jobId = '' } =
        made.status === 200 ? (JSON.parse(made.body) as { jobId: string }) : {};
      const { status } = await crowd.send('POST', `/api/bulk-jobs/${jobId}/start`);
      crowd.count(`job answered ${made.status}, ${status}`);
      await crowd.pause(50);
    });
  },
};

/** As many parts as take some twenty milliseconds to read. */
const schemaParts = 50;

const schemas: Flood = {
  ...{ name: 'schemas', isInShortForm: true, connections: 8, taskTypes: [] },
  about: 'schemas and forms of fifty properties, twenty schemas a request',
  definitions: [],
  async run(crowd) {
    const properties = Object.fromEntries(
      Array.from({ length: schemaParts }, (_, at) => [`p${at}`, { type: 'string', minLength: 1 }]),
    );
    const data = { type: 'object', properties };
    const many = Array.from({ length: 20 }, (_, at) => ({
      ...{ name: `flood_schema_${at}`, version: 1, type: 'JSON', data },
    }));
    const form = { name: 'flood_form', jsonSchema: data, templateUI: {} };
    await Promise.all([
      crowd.each(4, async () => {
        const { status } = await crowd.send('POST', '/api/schema', JSON.stringify(many));
        crowd.count(`schemas answered ${status}`);
      }),
      crowd.each(4, async () => {
        const { status } = await crowd.send('POST', '/api/human/template', JSON.stringify(form));
        crowd.count(`form answered ${status}`);
      }),
    ]);
  },
};

export const floods: readonly Flood[] = [
  schemas,
  slowScripts,
  endlessLoops,
  forks,
  startBomb,
  largeOutputs,
  failingTasks,
  webhookSecrets,
  starts,
  polls,
  manyPolls,
  searches,
  streams,
  bulkRestarts,
];

async function poll(
  crowd: Crowd,
  type: string,
  count: number,
): Promise<{ workflowInstanceId: string; taskId: string }[]> {
  const route = `/api/tasks/poll/batch/${type}?count=${count}&timeout=100`;
  const { status, body } = await crowd.send('GET', route);
  if (status === 200) return JSON.parse(body) as { workflowInstanceId: string; taskId: string }[];
  crowd.count(`poll answered ${status}`);
  await crowd.pause(100);
  return [];
}

/** A text that no compression makes small. */
function noise(chars: number): string {
  const bytes = Buffer.alloc(Math.ceil((chars * 3) / 4));
  let state = 1;
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes.toString('base64').slice(0, chars);
}
