// Commands that show the tasks that wait (`queues`) and the workers that poll (`workers`).
import type { Command } from 'commander';
import type { Context } from '../shared/context.js';
import { numberOf, objectOf, objectsOf, textOf } from '../shared/json.js';
import { duration } from '../executions/tree.js';

type Make = (command: Command) => Context;

const group = 'Tasks and workers:';

export function addQueues(program: Command, contextOf: Make): void {
  program
    .command('queues')
    .helpGroup(group)
    .summary('what waits for workers, and why')
    .option('-a, --all', 'empty queues too')
    .action(async (options: { all?: boolean }, command: Command) => {
      await showQueues(contextOf(command), options.all === true);
    });
  program
    .command('workers')
    .helpGroup(group)
    .summary('which workers poll')
    .option('--type <task type>', 'of this task type only')
    .action(async (options: { type?: string }, command: Command) => {
      const { out, client } = contextOf(command);
      const polls = objectsOf(await client().get('/api/tasks/queue/polldata/all')).filter(
        (poll) => options.type === undefined || textOf(poll['queueName']) === options.type,
      );
      const now = Date.now();
      const rows = polls
        .sort((a, b) => numberOf(b['lastPollTime']) - numberOf(a['lastPollTime']))
        .map((poll) => [
          ...[textOf(poll['queueName']), textOf(poll['domain']), textOf(poll['workerId'])],
          `${duration(now - numberOf(poll['lastPollTime']))} ago`,
        ]);
      out.table(['TYPE', 'DOMAIN', 'WORKER', 'LAST POLL'], rows, polls);
    });
}

async function showQueues({ out, client }: Context, all: boolean): Promise<void> {
  const now = Date.now();
  const stats = await client().find('/api/stats/queues');
  if (stats !== undefined) {
    const queues = objectsOf(stats).filter(
      (each) => all || numberOf(each['waiting']) + numberOf(each['leased']) > 0,
    );
    const rows = queues.map((each) => {
      const oldestAt = numberOf(each['oldestReadyTime']);
      return [
        ...[textOf(each['taskType']), textOf(each['domain'])],
        ...[String(numberOf(each['waiting'])), String(numberOf(each['leased']))],
        oldestAt > 0 ? duration(now - oldestAt) : '',
        ...[String(objectsOf(each['workers']).length), textOf(each['reason'])],
      ];
    });
    out.table(
      ['TYPE', 'DOMAIN', 'WAITING', 'WITH WORKERS', 'OLDEST', 'WORKERS', 'WHY'],
      rows,
      queues,
    );
    return;
  }
  const sizes = Object.entries(objectOf(await client().get('/api/tasks/queue/all'))).filter(
    ([, size]) => all || numberOf(size) > 0,
  );
  const rows = sizes.map(([name, size]) => [name, String(numberOf(size))]);
  out.table(['QUEUE', 'WAITING'], rows, Object.fromEntries(sizes));
}
