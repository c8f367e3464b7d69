// The command against what is no server of this API, or one that breaks off: a sentence and a code
// that say so, nothing on standard output, and no stack of the programme.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PackedCommand } from '../../support/command.js';

/** What was signalled at the server with the routes of Conductor and no others. */
const signals: string[] = [];

const answers: { readonly [kind: string]: http.RequestListener } = {
  page: (_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>');
  },
  'a proxy alone': (_, answer) => {
    answer.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
  },
  'another site': (_, answer) => {
    answer.writeHead(404, { 'content-type': 'text/html' }).end('<!DOCTYPE html><p>lost</p>');
  },
  garbled: (_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{oops');
  },
  cut: (_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    answer.write('{"a":', () => answer.destroy());
  },
  // It has one execution, which waits.
  plain: ({ method, url = '' }, answer) => {
    const json = (status: number, body: unknown): void => {
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (method === 'GET' && url.startsWith('/api/workflow/one')) {
      const task = { referenceTaskName: 'rest', taskType: 'WAIT', status: 'IN_PROGRESS' };
      json(200, { workflowId: 'one', status: 'RUNNING', tasks: [task] });
    } else if (method === 'POST' && url === '/api/tasks/one/rest/COMPLETED') {
      signals.push(url);
      json(200, 'task-id');
    } else json(404, { status: 404, error: 'Not Found', path: url });
  },
};

let downbeat: PackedCommand;
const servers: http.Server[] = [];
beforeAll(() => {
  downbeat = new PackedCommand('http://127.0.0.1:1');
}, 120_000);
afterAll(() => {
  downbeat.remove();
  for (const server of servers) server.close();
});

async function urlOf(kind: string): Promise<string> {
  const server = http.createServer(answers[kind]).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the command', () => {
  it.each([
    ['page', ['search'], 2, /answers with a page .*: check --server or CONDUCTOR_SERVER_URL\.$/m],
    ['page', ['run', 'order'], 2, /answers with a page/],
    ['page', ['why', 'some-id'], 2, /answers with a page/],
    ['page', ['export', 'out'], 2, /answers with a page/],
    ['a proxy alone', ['search'], 3, /search with 502 and a page, as a proxy .*: check --server/],
    ['another site', ['why', 'some-id'], 5, /some-id with 404 and a page, as a proxy /],
    ['garbled', ['search'], 2, /answers with text that is no JSON/],
    ['garbled', ['queues'], 2, /answers with text that is no JSON/],
    ['cut', ['run', 'order'], 3, /cannot be reached \(.*\): start a server there/],
    ['cut', ['terminate', 'some-id'], 3, /cannot be reached/],
  ] as const)('before a server that is %s: %j ends with %i', async (kind, args, code, sentence) => {
    const ran = await downbeat.run(['--server', await urlOf(kind), ...args]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran.stderr).not.toMatch(/^ {4}at /m);
    expect(ran).toMatchObject({ code, stdout: '' });
  });

  it.each([
    [['schedule', 'list'], 'GET /api/scheduler/schedules'],
    [['user', 'list'], 'GET /api/users'],
    [['human', 'list'], 'POST /api/human/tasks/search'],
    [['bulk', 'stop', 'x'], 'POST /api/bulk-jobs/x/stop'],
  ])('says which route a server lacks: %j', async (args, route) => {
    const ran = await downbeat.run(['--server', await urlOf('plain'), ...args]);
    expect(ran.stderr).toContain(`has no route ${route}: that part of the API is one that`);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
  });

  it('fails where a server has nothing that could be exported or imported', async () => {
    const [target, source] = [await urlOf('plain'), await urlOf('plain')];
    const exported = await downbeat.run(['--server', target, 'export', 'out-of-plain']);
    expect(exported).toMatchObject({ code: 5, stdout: '' });
    expect(exported.stderr).toContain(
      `${target} has no route for schemas, tasks, workflows, prompts, forms, handlers, webhooks, schedules: check --server or`,
    );
    const imported = await downbeat.run(['--server', target, 'import', '--from', source]);
    expect(imported).toMatchObject({ code: 5, stdout: '' });
    expect(imported.stderr).toMatch(/ has no route for environment variables, .*: check --from\./);
  });

  it('signals the task that waits where a server has no signals', async () => {
    const ran = await downbeat.run(['--server', await urlOf('plain'), 'signal', 'one']);
    expect(ran.code).toBe(0);
    expect(signals).toEqual(['/api/tasks/one/rest/COMPLETED']);
  });

  it('refuses a function of a worker that is none before it asks for a task', async () => {
    const ran = await downbeat.run(['worker', 'run', 'x', '--js', 'a b c']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^--js is no JavaScript/m);
  });

  it.each(['no-such-program', '/no/such/program', '/etc'])(
    'refuses the program %s, which is none, before it asks for a task',
    async (name) => {
      const ran = await downbeat.run(['worker', 'run', 'x', '--', name]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain(`There is no program ${name} to run`);
    },
  );
});
