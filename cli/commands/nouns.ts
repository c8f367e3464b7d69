// Things that are listed, shown and changed by name: schedules, tasks for people, users, keys of
// applications, secrets.
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Context } from '../shared/context.js';
import { eachOf } from '../shared/each-of.js';
import type { ApiClient } from '../shared/api-client.js';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import { givenObject, wholeNumber } from '../shared/given-json.js';
import { numberOf, objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { isoOf } from './executions.js';

type Make = (command: Command) => Context;

const esc = encodeURIComponent;

export function addNouns(program: Command, contextOf: Make): void {
  addSchedules(program, contextOf);
  addHuman(program, contextOf);
  addUsers(program, contextOf);
  addKeys(program, contextOf);
  addSecrets(program, contextOf);
}

function addSchedules(program: Command, contextOf: Make): void {
  const schedule = program
    .command('schedule')
    .helpGroup('Around executions:')
    .summary('starts at set times');
  schedule
    .command('list')
    .summary('all schedules')
    .action(async (_: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const all = objectsOf(await client().get('/api/scheduler/schedules'));
      const rows = all.map((each) => [
        ...[textOf(each['name']), cronOf(each)],
        textOf(objectOf(each['startWorkflowRequest'])['name']),
        each['paused'] === true ? 'paused' : isoOf(numberOf(each['nextRunTime'])),
      ]);
      out.table(['NAME', 'WHEN', 'WORKFLOW', 'NEXT'], rows, all);
    });
  schedule
    .command('next')
    .summary('when an expression is due next')
    .argument(
      '<cron>',
      "six fields: second, minute, hour, day, month, day of week, such as '0 0 9 * * MON-FRI'",
    )
    .option('--zone <name>', 'time zone', 'UTC')
    .option('-n, --limit <number>', 'how many', '5')
    .action(async (cron: string, options: { zone: string; limit: string }, command: Command) => {
      const { out, client } = contextOf(command);
      const limit = wholeNumber(options.limit, '--limit', 1, 5);
      const query = { cronExpression: cron, zoneId: options.zone, limit };
      const times = await client().get('/api/scheduler/nextFewSchedules', { query });
      const list = Array.isArray(times) ? times.map((at) => isoOf(numberOf(at))) : [];
      out.result(list, () => list.join('\n'));
    });
  const turn = (name: string, done: string): Command => {
    const verb = schedule.command(name).argument('<name...>', 'names of schedules');
    return verb.action(async (names: string[], query: { reason?: string }, command: Command) => {
      const { out, client } = contextOf(command);
      const path = (each: string): string => `/api/scheduler/schedules/${esc(each)}/${name}`;
      await eachOf(out, names, {
        work: (each) => client().put(path(each), undefined, { query: { ...query } }),
        shown: (all) => all,
        done,
      });
    });
  };
  turn('pause', 'is paused').option('-r, --reason <text>', 'why, shown with the schedule');
  turn('resume', 'goes on');
  showAndDelete(schedule, contextOf, {
    noun: 'schedule',
    path: (name) => `/api/scheduler/schedules/${esc(name)}`,
  });
}

function cronOf(schedule: JsonObject): string {
  const several = objectsOf(schedule['cronSchedules']).map((each) =>
    textOf(each['cronExpression']),
  );
  return textOf(schedule['cronExpression']) || several.join('; ');
}

function addHuman(program: Command, contextOf: Make): void {
  const human = program
    .command('human')
    .helpGroup('Around executions:')
    .summary('tasks for people');
  human
    .command('list')
    .summary('tasks that wait for somebody')
    .option(
      '--state <state>',
      'PENDING, ASSIGNED, IN_PROGRESS, COMPLETED, TIMED_OUT or DELETED; several with commas',
      'PENDING,ASSIGNED,IN_PROGRESS',
    )
    .option('-n, --limit <number>', 'most rows', '20')
    .action(async (options: { state: string; limit: string }, command: Command) => {
      const { out, client } = contextOf(command);
      const size = wholeNumber(options.limit, '--limit', 1, 100);
      const states = options.state.toUpperCase().split(',');
      const found = objectOf(
        await client().post('/api/human/tasks/search', {
          states,
          start: 0,
          size,
          searchType: 'ADMIN',
        }),
      );
      const tasks = objectsOf(found['results']);
      const rows = tasks.map((task) => [
        ...[textOf(task['taskId']), textOf(task['state']), textOf(task['displayName'])],
        ...[textOf(task['workflowName']), personOf(task['claimant']) || personOf(task['assignee'])],
      ]);
      out.table(['TASK', 'STATE', 'WHAT', 'WORKFLOW', 'WHO'], rows, found);
    });
  const path = (id: string): string => `/api/human/tasks/${esc(id)}`;
  human
    .command('show')
    .argument('<task>', 'id of the task')
    .action(async (id: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const task = await client().get(path(id));
      out.line(JSON.stringify(task, undefined, 2));
    });
  for (const [name, done] of [
    ['claim', 'is yours'],
    ['release', 'is free again'],
  ] as const) {
    human
      .command(name)
      .argument('<task>', 'id of the task')
      .action(async (id: string, _: unknown, command: Command) => {
        const { out, client } = contextOf(command);
        await client().get(path(id)); // The calls that change it answer 400 where there is none.
        const answer = await client().post(`${path(id)}/${name}`);
        out.result(answer ?? { taskId: id }, () => `${id} ${done}`);
      });
  }
  human
    .command('complete')
    .argument('<task>', 'id of the task')
    .option('-o, --output <json>', 'what was filled in: JSON, @file or @-', '{}')
    .action(async (id: string, options: { output: string }, command: Command) => {
      const { out, client, stdin } = contextOf(command);
      const output = await givenObject(options.output, '--output', stdin);
      await client().get(path(id));
      await client().post(`${path(id)}/update`, output, { query: { complete: true } });
      out.result({ taskId: id, state: 'COMPLETED' }, () => `${id} is done`);
    });
}

function personOf(value: unknown): string {
  return textOf(objectOf(value)['user']);
}

function addUsers(program: Command, contextOf: Make): void {
  const user = program.command('user').helpGroup('Who may do what:').summary('people');
  user.command('list').action(async (_: unknown, command: Command) => {
    const { out, client } = contextOf(command);
    const users = objectsOf(await client().get('/api/users', { query: { apps: false } }));
    const rows = users.map((each) => [
      textOf(each['id']),
      textOf(each['name']),
      namesOf(each['roles'], 'name'),
      namesOf(each['groups'], 'id'),
    ]);
    out.table(['ID', 'NAME', 'ROLES', 'GROUPS'], rows, users);
  });
  user
    .command('set')
    .summary('create or change')
    .argument('<email>', 'email address, which is the id')
    .option('--name <name>', 'full name')
    .option('--role <role...>', 'roles, such as USER or ADMIN')
    .option('--group <id...>', 'groups')
    .action(
      async (
        email: string,
        options: { name?: string; role?: string[]; group?: string[] },
        command: Command,
      ) => {
        const { out, client } = contextOf(command);
        if (!email.includes('@')) throw badInput(`'${email}' is no email address.`);
        const known = objectOf(await client().find(`/api/users/${esc(email)}`));
        const { name = textOf(known['name']) || email, role, group } = options;
        const body = {
          name,
          ...(role === undefined ? {} : { roles: role }),
          ...(group === undefined ? {} : { groups: group }),
        };
        const answer = await client().put(`/api/users/${esc(email)}`, body);
        out.result(answer, () => `${email} is stored`);
      },
    );
  showAndDelete(user, contextOf, { noun: 'user', path: (id) => `/api/users/${esc(id)}` });
}

function namesOf(list: unknown, field: string): string {
  return objectsOf(list)
    .map((each) => textOf(each[field]))
    .join(',');
}

function addKeys(program: Command, contextOf: Make): void {
  const key = program
    .command('key')
    .helpGroup('Who may do what:')
    .summary('keys of applications (workers, scripts)');
  const path = (id: string): string => `/api/applications/${esc(id)}/accessKeys`;
  key
    .command('list')
    .summary('all applications, or the keys of one')
    .argument('[application]', 'name or id')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const applications = objectsOf(await client().get('/api/applications'));
      if (name === undefined) {
        const rows = applications.map((each) => [textOf(each['id']), textOf(each['name'])]);
        out.table(['ID', 'APPLICATION'], rows, applications);
        return;
      }
      const keys = objectsOf(await client().get(path(idOf(applications, name))));
      const rows = keys.map((each) => [
        textOf(each['id']),
        textOf(each['status']),
        isoOf(numberOf(each['createdAt'])),
        isoOf(numberOf(each['lastUsedAt'])),
      ]);
      out.table(['KEY', 'STATUS', 'CREATED', 'LAST USED'], rows, keys);
    });
  key
    .command('create')
    .summary('a new key of an application, which is made when there is none of the name')
    .argument('<application>', 'name of the application')
    .option('--role <role...>', 'roles of an application that is made, such as WORKER')
    .action(async (name: string, options: { role?: string[] }, command: Command) => {
      const { out, client } = contextOf(command);
      const applications = objectsOf(await client().get('/api/applications'));
      const known = applications.find((each) => each['name'] === name || each['id'] === name);
      const application = known ?? objectOf(await client().post('/api/applications', { name }));
      const id = textOf(application['id']);
      if (known === undefined) {
        await addRoles(client(), id, options.role ?? []);
      } else if (options.role !== undefined) {
        throw badInput(
          `There is an application ${name} already: its roles stay as they are. Leave --role out.`,
        );
      }
      const made = objectOf(await client().post(path(id)));
      out.note('The secret is shown once; keep it.');
      out.result(
        made,
        () =>
          `CONDUCTOR_AUTH_KEY=${textOf(made['id'])}\nCONDUCTOR_AUTH_SECRET=${textOf(made['secret'])}`,
      );
    });
  key
    .command('delete')
    .argument('<application>', 'name or id')
    .argument('<key>', 'id of the key')
    .action(async (name: string, keyId: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const applications = objectsOf(await client().get('/api/applications'));
      await client().delete(`${path(idOf(applications, name))}/${esc(keyId)}`);
      out.result({ deleted: keyId }, () => `${keyId} is deleted`);
    });
}

/** An application that a refused role leaves is taken back: the same call may run again. */
async function addRoles(client: ApiClient, id: string, roles: readonly string[]): Promise<void> {
  const path = `/api/applications/${esc(id)}`;
  try {
    for (const role of roles) await client.post(`${path}/roles/${esc(role)}`);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === exitCodes.unreachable) throw error;
    await client.delete(path);
    throw new Failure(`${error.message.replace(/\.?$/, '.')} Nothing was changed.`, error.code);
  }
}

function idOf(applications: readonly JsonObject[], name: string): string {
  const found = applications.find((each) => each['id'] === name || each['name'] === name);
  if (found === undefined)
    throw new Failure(`There is no application ${name}: downbeat key list shows them.`, 5);
  return textOf(found['id']);
}

function addSecrets(program: Command, contextOf: Make): void {
  const secret = program
    .command('secret')
    .helpGroup('Who may do what:')
    .summary('values that definitions use by name');
  const path = (name: string): string => `/api/secrets/${esc(name)}`;
  secret
    .command('list')
    .summary('names; values are never shown')
    .action(async (_: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      const names = await client().post('/api/secrets');
      const list = Array.isArray(names) ? names.map(String) : [];
      out.table(
        ['NAME'],
        list.map((name) => [name]),
        list,
      );
    });
  secret
    .command('set')
    .summary(
      'store a value, which is read from standard input: it would stay in the history of the shell',
    )
    .argument('<name>', 'name of the secret')
    .action(async (name: string, _: unknown, command: Command) => {
      const { out, client, stdin } = contextOf(command);
      if (stdin.isTTY) out.note(`Type the value of ${name}; Ctrl-D ends it.`);
      const value = (await readAll(stdin)).replace(/\r?\n$/, '');
      if (value === '')
        throw badInput(
          `Give the value on standard input: printf %s "$VALUE" | downbeat secret set ${name}`,
        );
      await client().put(path(name), undefined, { rawBody: JSON.stringify(value) });
      out.result({ stored: name }, () => `${name} is stored`);
    });
  secret
    .command('delete')
    .argument('<name>', 'name of the secret')
    .action(async (name: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      if ((await client().get(`${path(name)}/exists`)) === false)
        throw new Failure(`There is no secret ${name}.`, 5);
      await client().delete(path(name));
      out.result({ deleted: name }, () => `${name} is deleted`);
    });
}

function showAndDelete(
  parent: Command,
  contextOf: Make,
  { noun, path }: { noun: string; path: (name: string) => string },
): void {
  parent
    .command('show')
    .argument('<name>', `name of the ${noun}`)
    .action(async (name: string, _: unknown, command: Command) => {
      const { out, client } = contextOf(command);
      out.line(JSON.stringify(await client().get(path(name)), undefined, 2));
    });
  parent
    .command('delete')
    .argument('<name>', `name of the ${noun}`)
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { yes?: boolean }, command: Command) => {
      const { out, client } = contextOf(command);
      await client().get(path(name));
      if (options.yes !== true && !(await out.confirm(`Delete the ${noun} ${name}?`, '--yes'))) {
        throw new Failure('Nothing was changed.');
      }
      await client().delete(path(name));
      out.result({ deleted: name }, () => `${name} is deleted`);
    });
}
