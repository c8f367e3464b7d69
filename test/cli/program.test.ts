// The command as a whole: what it lists is what the handbook lists, and what it does not start.
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { candidates } from '../../cli/commands/completion.js';
import { ofMemory, ofNode, ofRedisVersion } from '../../cli/commands/doctor.js';
import { urlOf } from '../../cli/commands/start.js';
import { buildProgram } from '../../cli/program.js';
import { addressOf, rootOf } from '../../cli/shared/profiles.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

const program = buildProgram({
  contextOf: () => {
    throw new Error('nothing is run here');
  },
  words: () => [],
  exit: () => undefined,
});
const all = program.commands.filter((command) => !command.name().startsWith('__'));

function below(command: Command): Command[] {
  return command.commands.flatMap((each) => [each, ...below(each)]);
}

describe('the commands', () => {
  it('stand in the handbook', () => {
    const page = fs.readFileSync(path.join(projectRoot, 'docs', 'command.md'), 'utf8');
    for (const command of all) expect(page).toContain(`\`${command.name()}`);
  });

  it('each say what they are for, in a group', () => {
    for (const command of all) {
      expect(command.summary(), command.name()).not.toBe('');
      expect(command.helpGroup(), command.name()).toMatch(/:$/);
    }
    expect(below(program).length).toBeGreaterThan(60);
  });

  it('are completed, with their options', () => {
    expect(candidates(program, ['wor'])).toEqual(['worker', 'workers']);
    expect(candidates(program, ['bulk', 'retry', '--ca'])).toEqual(['--canary']);
    expect(candidates(program, ['apply', '--js'])).toEqual(['--json']);
    expect(candidates(program, ['__'])).toEqual([]);
  });
});

describe('the server that is asked', () => {
  it('is the one of the command line, else of the environment, else of this machine', () => {
    const env = {
      HOME: '/nowhere',
      CONDUCTOR_SERVER_URL: 'http://b:1/api',
      CONDUCTOR_AUTH_KEY: 'k',
    };
    expect(addressOf({ server: 'a:2' }, env)).toMatchObject({ root: 'http://a:2', keyId: 'k' });
    expect(addressOf({}, env).root).toBe('http://b:1');
    expect(addressOf({}, { HOME: '/nowhere' }).root).toBe('http://localhost:8080');
  });

  it.each([
    ['https://flows.example.org/tools/api/', 'https://flows.example.org/tools'],
    ['localhost:8080', 'http://localhost:8080'],
  ])('%s is %s', (given, root) => {
    expect(rootOf(given)).toBe(root);
  });

  it('is where a start of it will listen', () => {
    expect(urlOf(['--port=9', '--auth'], {})).toBe('http://127.0.0.1:9');
    expect(urlOf(['--host', '0.0.0.0'], { DOWNBEAT_PORT: '7' })).toBe('http://127.0.0.1:7');
    expect(urlOf(['--host', '::1'], {})).toBe('http://[::1]:8080');
    expect(urlOf(['--host', '::'], {})).toBe('http://[::1]:8080');
    expect(urlOf(['--tls-cert-file', 'c', '--host', 'h'], {})).toBe('https://h:8080');
    const folder = createFolder();
    try {
      const file = path.join(folder, 'settings.json');
      fs.writeFileSync(file, JSON.stringify({ port: 6, host: 'h' }));
      expect(urlOf([`--config=${file}`], {})).toBe('http://h:6');
      expect(urlOf(['--port', '9'], { DOWNBEAT_CONFIG: file })).toBe('http://h:9');
      expect(urlOf(['--config', folder], {})).toBe('http://127.0.0.1:8080');
    } finally {
      removeFolder(folder);
    }
  });
});

it('the doctor knows old versions and memory without a limit', () => {
  expect(ofNode('20.17.0').level).toBe('wrong');
  expect(ofNode('22.0.0').level).toBe('ok');
  expect(ofRedisVersion('6.0.16').level).toBe('wrong');
  expect(ofRedisVersion('7.0.15').level).toBe('ok');
  expect(ofMemory(1, 0)).toMatchObject({
    level: 'warning',
    sentence: expect.stringMatching(/maxmemory/),
  });
  expect(ofMemory(90, 100).level).toBe('warning');
  expect(ofMemory(10, 100).level).toBe('ok');
});
