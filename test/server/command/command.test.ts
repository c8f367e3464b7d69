// The packed command `downbeat` against a server, in a pipe and in a pseudo-terminal.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { hasScript, PackedCommand } from '../../support/command.js';
import { redisPidsIn, signalProcess, type Program } from '../../../testkit/process.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { TaskConfig } from '../../../testkit/wire.js';

let server: RunningServer;
let api: ApiClient;
let downbeat: PackedCommand;
const programs: Program[] = [];

beforeAll(async () => {
  server = await startServer();
  api = new ApiClient(server.url);
  downbeat = new PackedCommand(server.url);
  await api.registerWorkflows(
    {
      name: 'order',
      version: 1,
      tasks: [
        {
          name: 'reserve',
          taskReferenceName: 'reserve',
          type: 'SIMPLE',
          inputParameters: { sku: '${workflow.input.sku}' },
        },
        { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' },
      ],
      outputParameters: { price: '${reserve.output.price}' },
    },
    { name: 'wrong', version: 1, tasks: [terminate('FAILED')] },
    { name: 'ended', version: 1, tasks: [terminate('TERMINATED')] },
    { name: 'fine', version: 1, tasks: [terminate('COMPLETED')] },
  );
}, 180_000);
afterEach(async () => {
  for (const program of programs.splice(0)) {
    signalProcess(program.pid, 'SIGTERM');
    await program.ended;
  }
});
afterAll(async () => {
  downbeat.remove();
  await api.close();
  await server.stop();
});

function terminate(terminationStatus: string): TaskConfig {
  return {
    ...{ name: 'end', taskReferenceName: 'end', type: 'TERMINATE' },
    inputParameters: { terminationStatus, workflowOutput: { word: terminationStatus } },
  };
}

function kept(program: Program): Program {
  programs.push(program);
  return program;
}

const escape = '\u001b';

describe('in a pipe', () => {
  it('run takes the version of a definition, and --version alone tells that of the command', async () => {
    const none = await downbeat.run(['run', 'fine', '--version', '7']);
    expect(none).toMatchObject({ code: 5, stdout: '' });
    expect(none.stderr).toMatch(/No such workflow/);
    expect((await downbeat.run(['run', 'fine', '--version', '1'])).code).toBe(0);
    const wrong = await downbeat.run(['run', 'fine', '--version', 'new']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    for (const words of [['--version'], ['--server', 'http://a:1', '--version']]) {
      expect((await downbeat.run(words)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });

  it.each([
    ['/proc/nope', /^The folder \/proc\/nope\/\w+ cannot be made \(ENOENT\)\.$/m],
    ['a-file', /^The folder a-file\/\w+ cannot be made \(ENOTDIR\)\.$/m],
  ])('export refuses the folder %s, which cannot be made, at once', async (folder, sentence) => {
    fs.writeFileSync(path.join(downbeat.folder, 'a-file'), '');
    const ran = await downbeat.run(['export', folder]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran.code).toBe(2);
  });

  it.each([
    [['start', '--help'], 0, /^usage: downbeat start \[settings\]$/m],
    [['fsck', '--help'], 0, /^usage: downbeat fsck \[options\] \[settings\]$/m],
    [['admin', 'create-king'], 2, /usage: downbeat admin create-key\|/],
  ])('%j shows what one types for it', async (args, code, usage) => {
    const { stdout, stderr, code: ended } = await downbeat.run(args);
    expect(stdout + stderr).toMatch(usage);
    expect(stdout + stderr).not.toContain('npm ');
    expect(ended).toBe(code);
  });

  it.each(['redis-cluster://:secret@a:1', 'a:6379', 'unix:nothing'])(
    'backup refuses the address %s with a sentence',
    async (address) => {
      const ran = await downbeat.run(['backup', 'refused.rdb', '--redis-url', address]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toMatch(/--redis-url takes the address of one server, such as redis:/);
      expect(ran.stderr).not.toContain('secret');
    },
  );

  it.each([
    ['fine', 0, 'COMPLETED'],
    ['wrong', 10, 'FAILED'],
    ['ended', 12, 'TERMINATED'],
  ])('run --follow of %s prints the output alone and ends with %i', async (name, code, word) => {
    const ran = await downbeat.run(['run', name, '--follow']);
    expect(JSON.parse(ran.stdout)).toEqual({ word });
    expect(ran.stderr).toMatch(new RegExp(`^\\S+Z ${name} ${word}`, 'm'));
    expect(ran.stdout + ran.stderr).not.toContain(escape);
    expect(ran.code).toBe(code);
  });

  it('a worker in one line does the task, and a signal ends the wait', async () => {
    const { stdout } = await downbeat.run(['run', 'order', '-i', '@-'], { input: '{"sku":"A"}' });
    const id = stdout.trim();
    const why = await downbeat.run(['why', id]);
    expect(why.stdout).toContain('Task reserve waits for a worker');
    const work = ['worker', 'run', 'reserve', '--count', '1', '--', 'sh', '-c'];
    const done = await downbeat.run([...work, 'cat > input; echo \'{"price": 4}\'']);
    expect(done.code).toBe(0);
    expect(JSON.parse(fs.readFileSync(path.join(downbeat.folder, 'input'), 'utf8'))).toEqual({
      sku: 'A',
    });
    const watching = kept(downbeat.start(['watch', id]));
    await until('the wait', () => /wait IN_PROGRESS/.test(watching.output()));
    expect((await downbeat.run(['signal', id, '-o', '{"by":"me"}'])).code).toBe(0);
    expect((await watching.ended).code).toBe(0);
    const shown = await downbeat.run(['watch', id, '--once', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'COMPLETED', output: { price: 4 } });
  });

  it('a worker whose command fails says why, and a function is a worker too', async () => {
    const first = (await downbeat.run(['run', 'order'])).stdout.trim();
    const work = ['worker', 'run', 'reserve', '--count', '1'];
    await downbeat.run([...work, '--', 'sh', '-c', 'echo no stock >&2; exit 100']);
    const failed = await api.workflow(first);
    expect(failed).toMatchObject({ status: 'FAILED' });
    expect(failed.tasks?.[0]).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'the command ended with 100: no stock',
    });
    const second = (await downbeat.run(['run', 'order', '-s', 'sku=3'])).stdout.trim();
    await downbeat.run([...work, '--js', 'input => ({ price: input.sku * 2 })']);
    expect((await api.workflow(second)).tasks?.[0]).toMatchObject({ outputData: { price: 6 } });
  });

  it('tells which of several executions were done, and goes on past a refused one', async () => {
    const ids = [0, 1].map(() => api.start({ name: 'order', version: 1 }));
    const [first = '', last = ''] = await Promise.all(ids);
    const ran = await downbeat.run(['terminate', first, 'no-such-id', last]);
    expect(ran.stdout).toBe(`${first} is terminated\n${last} is terminated\n`);
    expect(ran.stderr).toMatch(/^no-such-id: .*\n2 of 3 are done\.\n$/s);
    expect(ran.code).toBe(5);
  });

  it('takes an application back whose role is refused', async () => {
    const ran = await downbeat.run(['key', 'create', 'fleet', '--role', 'NO_SUCH_ROLE']);
    expect(ran.stderr).toMatch(/Nothing was changed\.$/m);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect((await downbeat.run(['key', 'list'])).stdout).not.toContain('fleet');
  });

  it('a worker keeps characters whole that come in two parts', async () => {
    const id = (await downbeat.run(['run', 'order'])).stdout.trim();
    const script = `process.stdout.write('x' + 'é'.repeat(200_000))`;
    const work = ['worker', 'run', 'reserve', '--count', '1', '--', process.execPath, '-e', script];
    expect((await downbeat.run(work)).code).toBe(0);
    const [task] = (await api.workflow(id)).tasks ?? [];
    expect(task?.outputData?.['result'] === `x${'é'.repeat(200_000)}`).toBe(true);
  });

  it.each([
    [
      'the server takes no more',
      15,
      /^the server refused what the worker reported: The request body is larger/,
    ],
    ['the worker keeps no more', 17, /^the command wrote more than 16777216 characters/],
  ])('a worker fails a task whose output is too large: %s', async (_, mebibytes, reason) => {
    const id = (await downbeat.run(['run', 'order'])).stdout.trim();
    // As JSON each quotation mark is two characters.
    const script = `process.stdout.write('"'.repeat(${mebibytes} * 2 ** 20))`;
    const work = ['worker', 'run', 'reserve', '--count', '1', '--', process.execPath, '-e', script];
    expect((await downbeat.run(work)).code).toBe(0);
    expect((await api.workflow(id)).tasks?.[0]).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: expect.stringMatching(reason) as string,
    });
  });

  it('every answer can be JSON, and a table is lines with tabs', async () => {
    for (const args of [['search'], ['queues', '--all'], ['workers'], ['schedule', 'list']]) {
      const ran = await downbeat.run([...args, '--json']);
      expect(() => JSON.parse(ran.stdout) as unknown).not.toThrow();
      expect(ran.stderr).toBe('');
    }
    const { stdout } = await downbeat.run(['search', '--workflow', 'fine', '--limit', '1']);
    expect(stdout).toMatch(/^[\w-]{36}\tfine:1\tCOMPLETED\t[^\n]*\n$/);
  });

  it.each([
    [['serch'], 2, /unknown command 'serch'\n\(Did you mean search\?\)/],
    [['search', '--limit', 'many'], 2, /--limit must be a whole number from 1 to 1000, not 'many'/],
    [['bulk', 'retry', '--ids', 'x', '-w', 'y'], 2, /--ids names the executions, .*: give one/],
    [['--server', 'http://me:secret@x', 'search'], 2, /holds no user and no password: give a key/],
    [['--server', 'http://x/?a=1', 'search'], 2, /has more than the address of a server/],
    [['search', '--status', 'DONE'], 2, /--status must be one of .* not 'DONE'/],
    [['run', 'fine', '-i', '[1]'], 2, /--input must be a JSON object/],
    [['run', 'fine', '-i', '@none'], 2, /--input: none cannot be read \(ENOENT\)/],
    [['run', 'nowhere'], 5, /nowhere/],
    [['why', 'no-such-id'], 5, /no-such-id/],
    [['worker', 'run', 'reserve'], 2, /Give a command after --/],
    [['apply', 'no-folder'], 2, /There is no file or folder no-folder. Nothing was changed/],
    [['--server', 'http://127.0.0.1:1', 'search'], 3, /127\.0\.0\.1:1 cannot be reached/],
    [['--server', 'ftp://x', 'search'], 2, /is no address of a server/],
    [['--profile', 'other', 'search'], 2, /There is no profile 'other'/],
    [['bulk', 'retry'], 2, /Say which executions/],
    [['bench'], 2, /needs a clone of the repository/],
    [['start', '--prot', '1'], 2, /There is no setting --prot. Did you mean --port\?/],
  ])('refuses %j with %i and a sentence', async (args, code, sentence) => {
    const ran = await downbeat.run(args);
    expect(ran.stderr).toMatch(sentence);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect(ran.stdout).toBe('');
    expect(ran.code).toBe(code);
  });

  it('profiles hold servers, readable by their user alone', async () => {
    const env = { CONDUCTOR_SERVER_URL: '', XDG_CONFIG_HOME: path.join(downbeat.folder, 'xdg') };
    const set = await downbeat.run(['profile', 'set', 'test', `${server.url}/api/`], { env });
    expect(set.code).toBe(0);
    expect((await downbeat.run(['search', '--limit', '1'], { env })).code).toBe(0);
    const file = path.join(env.XDG_CONFIG_HOME, 'downbeat', 'profiles.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const listed = await downbeat.run(['profile', 'list', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toEqual([
      { name: 'test', isCurrent: true, server: server.url },
    ]);
  });

  it('many executions are ended at once, after a preview', async () => {
    for (let i = 0; i < 3; i++) await api.start({ name: 'order', version: 1 });
    const find = ['bulk', 'terminate', '--workflow', 'order', '--status', 'RUNNING'];
    const preview = await downbeat.run([...find, '--dry-run', '--json']);
    expect(JSON.parse(preview.stdout)).toMatchObject({ action: 'terminate', state: 'PREVIEW' });
    const unasked = await downbeat.run(find);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toMatch(/Say --yes to agree/);
    const done = await downbeat.run([...find, '--yes']);
    expect(done.code).toBe(0);
    const left = await downbeat.run(['search', '--workflow', 'order', '--status', 'RUNNING']);
    expect(left.stdout).toBe('');
  });

  it('says what is wrong with the set-up', async () => {
    const ran = await downbeat.run(['doctor', '--json']);
    const findings = JSON.parse(ran.stdout) as { about: string; level: string }[];
    expect(findings).toContainEqual(expect.objectContaining({ about: 'server', level: 'ok' }));
    const away = await downbeat.run(['--server', 'http://127.0.0.1:1', 'doctor']);
    expect(away.stdout).toMatch(/server: http:\/\/127.0.0.1:1 cannot be reached: start one/);
    expect(away.code).toBe(1);
  });

  it('completes commands and options', async () => {
    const words = async (...args: string[]): Promise<string[]> =>
      (await downbeat.run(['__complete', '--', ...args])).stdout.trim().split('\n');
    expect(await words('sch')).toEqual(['schedule']);
    expect(await words('schedule', 'pa')).toEqual(['pause']);
    expect(await words('run', '--fo')).toEqual(['--follow']);
    expect((await downbeat.run(['completion', 'bash'])).stdout).toContain('complete -o default');
  });
});

describe('apply', () => {
  let folder: string;
  const write = (name: string, text: string): void => {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  beforeAll(() => {
    folder = path.join(downbeat.folder, 'definitions');
    write('tasks/pack.yaml', 'name: pack\nretryCount: 1\nretryDelaySeconds: 5\n');
    write(
      'workflows/parcel.yaml',
      'name: parcel\nversion: 2\ntasks:\n- { name: pack, taskReferenceName: pack, type: SIMPLE }\n' +
        '- { name: s, taskReferenceName: s, type: SWITCH, evaluatorType: value-param, expression: x, decisionCases: { a: [{ name: pack, taskReferenceName: p2, type: SIMPLE }] } }\n',
    );
    write(
      'schedules/nightly.json',
      JSON.stringify({
        name: 'nightly',
        cronExpression: '0 0 3 * * *',
        paused: true,
        startWorkflowRequest: { name: 'parcel', version: 2, input: { a: 1 } },
      }),
    );
    write(
      'handlers/paid.yaml',
      'name: paid\nevent: "conductor:paid"\nactive: true\nactions:\n- { action: start_workflow, start_workflow: { name: parcel } }\n',
    );
    write(
      'webhooks/hook.yaml',
      'name: hook\nsourcePlatform: Custom\nverifier: HEADER_BASED\nheaders: { x-key: y }\nreceiverWorkflowNamesToVersions: { parcel: 2 }\n',
    );
    write('prompts/hello.yaml', 'name: hello\ndescription: greets\ntemplate: "Hello ${name}"\n');
    write('schemas/in.yaml', 'name: in\nversion: 1\ntype: JSON\ndata: { type: object }\n');
    write(
      'forms/ask.yaml',
      'name: ask\nversion: 1\njsonSchema: { type: object }\ntemplateUI: {}\n',
    );
    write(
      'grants/all.yaml',
      'subject: { type: ROLE, id: USER }\ntarget: { type: WORKFLOW_DEF, id: parcel }\naccess: [READ, EXECUTE]\n',
    );
  });

  it('shows the plan, changes nothing when dry, then does all, and is idempotent', async () => {
    const dry = await downbeat.run(['apply', folder, '--dry-run']);
    expect(dry.stderr).toMatch(/^\+ workflow parcel:2$/m);
    expect(dry.stderr).toMatch(/9 to create, 0 to change, 0 to delete, 0 unchanged/);
    expect((await api.request('GET', '/api/metadata/taskdefs/pack')).status).toBe(404);
    const first = await downbeat.run(['apply', folder, '--label', 'team=a']);
    expect(first).toMatchObject({ code: 0, stdout: '9 done, 0 unchanged\n' });
    const second = await downbeat.run(['apply', folder, '--label', 'team=a']);
    expect(second.stderr).toMatch(/0 to create, 0 to change, 0 to delete, 9 unchanged/);
    expect((await downbeat.run(['diff', folder])).code).toBe(0);
  });

  it('shows what differs, and diff ends with 1', async () => {
    write('tasks/pack.yaml', 'name: pack\nretryCount: 1\n');
    const diff = await downbeat.run(['diff', folder]);
    expect(diff.stdout).toMatch(/~ task pack\n {4}retryDelaySeconds: 5 -> nothing\n/);
    expect(diff.code).toBe(1);
    expect((await downbeat.run(['apply', folder])).code).toBe(0);
    expect((await api.request('GET', '/api/metadata/taskdefs/pack')).body).toMatchObject({
      retryDelaySeconds: 60,
    });
  });

  it('deletes what has the label and is in no file, after a yes', async () => {
    fs.rmSync(path.join(folder, 'schedules', 'nightly.json'));
    const prune = ['apply', folder, '--label', 'team=a', '--prune'];
    const unasked = await downbeat.run(prune);
    expect(unasked).toMatchObject({ code: 2 });
    expect(unasked.stderr).toMatch(/^- schedule nightly$/m);
    expect((await api.request('GET', '/api/scheduler/schedules/nightly')).status).toBe(200);
    expect((await downbeat.run([...prune, '--yes'])).code).toBe(0);
    expect((await api.request('GET', '/api/scheduler/schedules/nightly')).status).toBe(404);
    // What nobody labelled stays.
    expect((await api.request('GET', '/api/metadata/workflow/order')).status).toBe(200);
  });

  it('names every file that is wrong, and changes nothing', async () => {
    const wrong = path.join(downbeat.folder, 'wrong');
    fs.mkdirSync(path.join(wrong, 'tasks'), { recursive: true });
    fs.writeFileSync(path.join(wrong, 'a.yaml'), 'name: x\n');
    fs.writeFileSync(path.join(wrong, 'b.json'), '{');
    fs.writeFileSync(path.join(wrong, 'c.yaml'), 'kind: wrkflow\nname: x\n');
    fs.writeFileSync(path.join(wrong, 'tasks', 'd.yaml'), 'retryCount: 1\n');
    fs.writeFileSync(path.join(wrong, 'tasks', 'e.yaml'), 'name: would_be_fine\n');
    const ran = await downbeat.run(['apply', wrong]);
    expect(ran.stderr).toMatch(/a\.yaml: says no kind/);
    expect(ran.stderr).toMatch(/b\.json: cannot be read/);
    expect(ran.stderr).toMatch(/c\.yaml: has the kind 'wrkflow'/);
    expect(ran.stderr).toMatch(/d\.yaml: a task needs the field name/);
    expect(ran.code).toBe(2);
    expect((await api.request('GET', '/api/metadata/taskdefs/would_be_fine')).status).toBe(404);
  });

  it.each<[what: string, name: string, content: string | Buffer, sentence: RegExp]>([
    ['other bytes than UTF-8', 'tasks/x.yaml', Buffer.from('name: caf\xe9', 'latin1'), /not UTF-8/],
    [
      'UTF-16',
      'tasks/x.json',
      Buffer.from('\ufeff{"name":"x"}', 'utf16le'),
      /it is not UTF-8 text/,
    ],
    ['a tag of YAML', 'tasks/x.yaml', 'name: !!js/function "x"\n', /Unresolved tag/],
    ['several documents', 'tasks/x.yaml', 'name: x\n---\nname: y\n', /holds several documents/],
    [
      ...(['a workflow that the server refuses', 'workflows/x.yaml'] as const),
      ...([
        'name: x\ntasks:\n- { name: a, taskReferenceName: a, type: SWITCH }\n',
        /Validation failed/,
      ] as const),
    ],
    [
      ...(['a key that stands twice in JSON', 'tasks/x.json'] as const),
      ...([
        '{"name": "x",\n "inputKeys": ["name"],\n "n\\u0061me": "y"}',
        /line 3: the key "n\\u0061me" stands twice/,
      ] as const),
    ],
    [
      ...(['a key that stands twice in YAML', 'tasks/x.yaml'] as const),
      ...([
        'name: x\nretryCount: 1\nretryCount: 2\n',
        /line 3: the key retryCount stands/,
      ] as const),
    ],
    ['a wrong type', 'workflows/x.yaml', 'name: x\ntasks: none\n', /tasks must be a list/],
    [
      ...(['a schedule that the server refuses', 'schedules/x.yaml'] as const),
      ...([
        'name: x\ncronExpression: nope\nstartWorkflowRequest: { name: a }\n',
        /six fields/,
      ] as const),
    ],
  ])('names the file with %s before anything is changed', async (_, name, content, sentence) => {
    const wrong = fs.mkdtempSync(path.join(downbeat.folder, 'wrong-'));
    for (const [file, text] of [
      ['tasks/fine.yaml', 'name: would_be_fine\n'],
      [name, content],
    ] as const) {
      fs.mkdirSync(path.dirname(path.join(wrong, file)), { recursive: true });
      fs.writeFileSync(path.join(wrong, file), text);
    }
    const ran = await downbeat.run(['apply', wrong]);
    const said = ran.stderr.split('\n').find((line) => line.startsWith(path.join(wrong, name)));
    expect(said, ran.stderr).toMatch(sentence);
    expect(ran.stderr).toMatch(/\nNothing was changed\.\n$/);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect((await api.request('GET', '/api/metadata/taskdefs/would_be_fine')).status).toBe(404);
  });

  it('names the file that is refused when it is stored, and warns of fields nobody knows', async () => {
    const odd = fs.mkdtempSync(path.join(downbeat.folder, 'odd-'));
    fs.mkdirSync(path.join(odd, 'tasks'));
    fs.mkdirSync(path.join(odd, 'workflows'));
    const file = path.join(odd, 'tasks', 'x.yaml');
    fs.writeFileSync(file, 'name: odd_task\nretryLogic: SOMETIMES\n');
    const refused = await downbeat.run(['apply', odd]);
    expect(refused.stderr).toContain(`${file}: [0].retryLogic must be one of FIXED`);
    expect(refused.code).toBe(2);
    fs.rmSync(file);
    const tasks = 'tasks:\n- { name: a, taskReferenceName: a, type: SIMPLE }\n';
    const misspelt = path.join(odd, 'workflows', 'x.yaml');
    fs.writeFileSync(misspelt, `name: odd_flow\ndescripton: x\n${tasks}`);
    const warned = await downbeat.run(['apply', odd, '--dry-run']);
    expect(warned.stderr).toContain(`Warning: ${misspelt}: `);
    expect(warned.stderr).toContain('descripton');
    expect(warned.code).toBe(0);
  });

  it('is exported as files that apply finds unchanged', async () => {
    const out = path.join(downbeat.folder, 'exported');
    expect((await downbeat.run(['export', out])).code).toBe(0);
    expect(fs.existsSync(path.join(out, 'workflows', 'parcel_2.yaml'))).toBe(true);
    const diff = await downbeat.run(['diff', out]);
    expect(diff.stdout).toMatch(/^0 to create, 0 to change, 0 to delete, \d+ unchanged\n$/);
  });

  it('is exported to a file of its own, whatever its name', async () => {
    const names = [
      'odd a b',
      'odd a_b',
      'odd.注文',
      'odd.顧客',
      '.odd',
      'odd/x',
      `odd${'x'.repeat(200)}`,
    ];
    await api.registerTasks(...names.map((name) => ({ name })));
    const out = path.join(downbeat.folder, 'odd-names');
    expect((await downbeat.run(['export', out, '--kind', 'task'])).code).toBe(0);
    const diff = await downbeat.run(['diff', out, '--json']);
    const steps = JSON.parse(diff.stdout) as { id: string; action: string }[];
    const found = steps.filter(({ id }) => names.includes(id));
    expect(found.map(({ id }) => id).sort()).toEqual([...names].sort());
    expect(diff.code).toBe(0);
  });

  it('names a folder or a link that cannot be read', async () => {
    write('tasks/gone.yaml', '');
    const gone = path.join(folder, 'tasks', 'gone.yaml');
    fs.rmSync(gone);
    fs.symlinkSync('/nowhere', gone);
    const ran = await downbeat.run(['apply', folder]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/gone\.yaml: cannot be read \(ENOENT.*\nNothing was changed\.\n$/);
    fs.rmSync(gone);
  });

  it('goes on after the server went away in the middle', async () => {
    const many = path.join(downbeat.folder, 'many');
    fs.mkdirSync(path.join(many, 'tasks'), { recursive: true });
    for (let i = 0; i < 60; i++) {
      fs.writeFileSync(path.join(many, 'tasks', `t${i}.json`), `{"name":"many_${i}"}`);
    }
    const applying = kept(downbeat.start(['apply', many]));
    await until('a first step', () => applying.output().includes('1/60'));
    await server.kill('SIGKILL');
    await until('its patience', () => /cannot be reached|Trying again/.test(applying.output()));
    await server.restart();
    expect((await applying.ended).code).toBe(0);
    expect((await downbeat.run(['diff', many])).stdout).toMatch(/60 unchanged/);
  });
});

describe.skipIf(!hasScript())('in a terminal (where util-linux `script` makes one)', () => {
  it('run --follow draws a tree in place, in colour', async () => {
    const program = kept(downbeat.inTerminal(['run', 'order', '-f', '-s', 'sku=A']));
    await until('the task', () => program.output().includes('○ reserve'));
    const done = await downbeat.run([
      ...['worker', 'run', 'reserve', '--count', '1', '--js', '() => ({ price: 7 })'],
    ]);
    expect(done.code).toBe(0);
    await until('the wait', () => program.output().includes('▶ wait'));
    const id = /order ([\w-]{36})/.exec(program.output())?.[1] ?? '';
    await downbeat.run(['signal', id]);
    expect((await program.ended).code).toBe(0);
    const shown = program.output();
    expect(shown).toContain(`${escape}[32mCOMPLETED${escape}[0m`);
    // Drawn again in place: the cursor goes up.
    expect(shown).toMatch(new RegExp(`${escape}\\[\\d+A`));
    expect(shown).toContain('"price": 7');
  });

  it('has no colours with NO_COLOR, and a table has a heading', async () => {
    const program = kept(downbeat.inTerminal(['search', '--limit', '2'], { NO_COLOR: '1' }));
    expect((await program.ended).code).toBe(0);
    expect(program.output()).toMatch(/^ID +WORKFLOW +STATUS/);
    expect(program.output()).not.toContain(escape);
  });

  it('what a worker says moves no cursor and names no window', async () => {
    const id = await api.start({ name: 'order', version: 1 });
    const evil = `${escape}]0;owned\u0007${escape}[2J${escape}[31mred${escape}[0m\nnext`;
    const script = `process.stderr.write(${JSON.stringify(evil)}); process.exit(100)`;
    const work = ['worker', 'run', 'reserve', '--count', '1', '--', process.execPath, '-e', script];
    await downbeat.run(work);
    for (const args of [
      ['why', id],
      ['search', '--limit', '1'],
      ['watch', id],
    ]) {
      const program = kept(downbeat.inTerminal(args, { NO_COLOR: '1' }));
      await program.ended;
      const shown = program.output();
      expect(shown).toContain('owned');
      expect(shown).not.toMatch(/\u0007|\u001b\]|\u001b\[2J/);
    }
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a server that start runs ends with it on %s',
    async (signal) => {
      const data = path.join(downbeat.folder, signal);
      const program = kept(downbeat.start(['start', '--port', '0', '--data-dir', data]));
      await until('it serves', () => program.output().includes('serves on'));
      expect(redisPidsIn(data)).toHaveLength(1);
      signalProcess(program.pid, signal);
      expect((await program.ended).code).toBe(0);
      expect(redisPidsIn(data)).toEqual([]);
    },
  );

  it('Ctrl-C ends the command and not the execution', async () => {
    const id = await api.start({ name: 'order', version: 1 });
    const program = kept(downbeat.start(['watch', id]));
    await until('a line', () => program.output().includes('reserve SCHEDULED'));
    signalProcess(program.pid, 'SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(program.output()).toContain(`downbeat watch ${id} follows it again`);
    expect((await api.workflow(id)).status).toBe('RUNNING');
  });
});
