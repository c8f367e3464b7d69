// The packages that bring a test server to other languages: their own tests, which use workers of
// the published SDKs, and the examples of their pages.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { tell } from '../support/figures.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { javaTestTools, pythonTestTools, type Sdk } from '../support/sdks.js';
import { installTimeoutMs } from '../support/tool-cache.js';

const run = promisify(execFile);
const programTimeoutMs = 120_000;
const testTimeoutMs = installTimeoutMs + 2 * programTimeoutMs;
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach(removeFolder));

function newFolder(): string {
  const folder = createFolder();
  folders.push(folder);
  return folder;
}

const command = `${process.execPath} ${path.join(projectRoot, 'bin', 'downbeat.mjs')}`;

/** The first block of code in this language on the page of a package. */
function exampleOf(name: string, language: string): string {
  const page = fs.readFileSync(path.join(projectRoot, 'packages', name, 'README.md'), 'utf8');
  const code = page.split(`\`\`\`${language}\n`)[1]?.split('```')[0];
  expect(code).toBeDefined();
  return code ?? '';
}

/** What the programme prints, whatever it ends with. */
async function outputOf(file: string, args: readonly string[], env: object): Promise<string> {
  try {
    const options = { timeout: programTimeoutMs, env: { ...process.env, ...env } };
    const { stdout, stderr } = await run(file, args, options);
    return `${stdout}\n${stderr}`;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}\n${stderr}\n${String(error).slice(0, 500)}`;
  }
}

function here(skip: TestContext['skip'], tools: Sdk): Exclude<Sdk, { missing: string }> {
  if (!('missing' in tools)) return tools;
  tell(tools.missing);
  return skip(tools.missing);
}

describe('the pytest fixture', () => {
  it('passes its own tests and its example', { timeout: testTimeoutMs }, async ({ skip }) => {
    const python = here(skip, await pythonTestTools());
    const folder = newFolder();
    const example = path.join(folder, 'test_example.py');
    fs.writeFileSync(example, exampleOf('pytest-downbeat', 'python'));
    const source = path.join(projectRoot, 'packages', 'pytest-downbeat');
    const tests = [path.join(source, 'tests', 'test_with_workers.py'), example];
    const words = ['-m', 'pytest', '-q', '-p', 'pytest_downbeat.plugin', '-p', 'no:cacheprovider'];
    const output = await outputOf(python.command, [...words, ...tests], {
      ...{ PYTHONPATH: path.join(source, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
      TEST_DOWNBEAT_COMMAND: command,
    });
    expect(output).toContain('6 passed');
  });
});

describe('the JUnit extension', () => {
  it('passes its own tests and its example', { timeout: testTimeoutMs }, async ({ skip }) => {
    const java = here(skip, await javaTestTools());
    const classes = java.args[0] ?? '';
    const folder = newFolder();
    const source = path.join(projectRoot, 'packages', 'junit-downbeat', 'src');
    const example = path.join(folder, 'ReminderTest.java');
    fs.writeFileSync(example, exampleClass());
    const files = [
      ...javaFiles(path.join(source, 'main')),
      ...javaFiles(path.join(source, 'test')),
    ];
    const made = path.join(folder, 'classes');
    const compiled = await outputOf(
      'javac',
      ['--release', '17', '-cp', classes, '-d', made, ...files, example],
      {},
    );
    expect(compiled).not.toContain('error');
    const options = ['--scan-class-path', '--details', 'tree', '--disable-banner'];
    const output = await outputOf(
      java.command,
      [
        ...['-cp', `${made}${path.delimiter}${classes}`],
        'org.junit.platform.console.ConsoleLauncher',
        ...['execute', ...options, '--class-path', made],
      ],
      { TEST_DOWNBEAT_COMMAND: command },
    );
    expect(output).toMatch(/5 tests successful/);
    expect(output).toMatch(/0 tests failed/);
  });
});

function exampleClass(): string {
  const imports = [
    'com.fasterxml.jackson.databind.JsonNode',
    'java.util.Map',
    'org.junit.jupiter.api.Test',
    'org.junit.jupiter.api.extension.ExtendWith',
  ];
  const lines = imports.map((name) => `import ${name};`).join('\n');
  return `package io.downbeat.junit;\n${lines}\n${exampleOf('junit-downbeat', 'java')}`;
}

function javaFiles(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.java'))
    .map((name) => path.join(folder, name));
}
