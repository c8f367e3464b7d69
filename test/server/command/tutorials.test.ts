// The tutorials as a reader types them: the definition and the input saved under the names that the
// page gives, its lines in a shell with the packed command on PATH, and the output that it names.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PackedCommand } from '../../support/command.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import { signalProcess, startProgram, type Program } from '../../../testkit/process.js';
import { projectRoot } from '../../../testkit/project.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

const docs = path.join(projectRoot, 'docs', 'tutorials');
const names = fs.readdirSync(docs).filter((name) => name !== 'README.md');
const patient = { timeoutMs: 60_000, everyMs: 300 };

let server: RunningServer;
let downbeat: PackedCommand;
let folder: string;
const workers: Program[] = [];

beforeAll(async () => {
  server = await startServer();
  downbeat = new PackedCommand(server.url);
  const bin = path.join(downbeat.root, 'bin');
  fs.symlinkSync(path.join(bin, 'downbeat.mjs'), path.join(downbeat.folder, 'downbeat'));
}, 180_000);
afterAll(async () => {
  for (const { pid, ended } of workers) {
    signalProcess(pid, 'SIGKILL');
    await ended;
  }
  if (folder !== undefined) removeFolder(folder);
  downbeat.remove();
  await server.stop();
});

/** A line in a shell of its own, in the folder of the reader. */
function typed(line: string): Program {
  const { PATH = '' } = process.env;
  return startProgram('sh', ['-c', `exec ${line}`], {
    env: { PATH: `${downbeat.folder}:${PATH}`, HOME: folder, CONDUCTOR_SERVER_URL: server.url },
    cwd: folder,
  });
}

function blockOf(text: string, kind: string): string {
  return new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1] ?? '';
}

function save(name: string, content: string): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
}

describe.each(names)('%s', { timeout: 120_000 }, (name) => {
  const text = fs.readFileSync(path.join(docs, name), 'utf8');
  const inline = [...text.matchAll(/`(downbeat (?:apply|run|worker run) [^`]+)`/g)].map(
    ([, line = '']) => line,
  );
  const lines = [...inline, ...blockOf(text, 'sh').split('\n')];
  const lineOf = (start: string): string => lines.find((line) => line.startsWith(start)) ?? '';

  it('ends as it says when it is typed', async () => {
    folder = createFolder();
    const [, definition = ''] = /^Save this as `(definitions\/\S+\.json)`/m.exec(text) ?? [];
    save(definition, blockOf(text, 'json definition'));
    expect(text).toContain('save it as `input.json`');
    save('input.json', blockOf(text, 'json input'));
    const applied = typed(lineOf('downbeat apply'));
    expect((await applied.ended).code, applied.output()).toBe(0);
    workers.push(...lines.filter((line) => line.startsWith('downbeat worker run')).map(typed));
    const run = typed(`${lineOf('downbeat run')} --json`);
    const complete = lineOf('downbeat human complete');
    if (complete !== '') {
      const task = await until(
        'the task of a person',
        async () => {
          const list = typed(lineOf('downbeat human list'));
          await list.ended;
          return /^(\S+)\t/.exec(list.output())?.[1];
        },
        patient,
      );
      const completed = typed(complete.replace('TASK_ID', task));
      expect((await completed.ended).code, completed.output()).toBe(0);
    }
    expect((await run.ended).code, run.output()).toBe(0);
    const shown = run.output();
    const { output } = JSON.parse(shown.slice(shown.indexOf('\n{') + 1)) as { output: unknown };
    expect(output).toEqual(JSON.parse(blockOf(text, 'json output')));
  });
});
