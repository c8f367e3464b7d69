// A production install of the server without plug-ins, made from the lock file and the packages
// that are installed here: how large it is, what it says of plug-ins that are missing or broken,
// and that a plug-in of somebody else, built in an empty folder, works.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { bundleInto } from '../../bin/lib/bundle.mjs';
import { installedPlaces, writeCoreInstall } from '../../bin/lib/core-install.mjs';
import { copyListener } from '../../bin/lib/listener.mjs';
import { answerText, ModelServer } from '../support/model-server.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import type { TaskConfig, WireWorkflowDef } from '../../testkit/wire.js';

const packagesMax = 70;
const megabytesMax = 45;

let folder: string;
let install: string;
let weather: string;
let service: http.Server;
let server: RunningServer;
let api: ApiClient;

beforeAll(async () => {
  folder = createFolder();
  install = path.join(folder, 'install');
  writeCoreInstall(install);
  weather = buildExample('weather', 0);
  const notes = buildExample('notes', 1);
  const broken = path.join(folder, 'broken');
  write(broken, 'package.json', '{"name":"broken","type":"module","exports":"./broken.js"}');
  write(broken, 'broken.js', "throw new Error('it is broken');");
  service = http.createServer((request, response) => response.end(`sun ${request.url}`));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  server = await startServer({
    program: [path.join(install, 'dist', 'main.js')],
    args: [
      ...['--outbound-allow-inside=true', `--plugins=${weather},${notes},${broken},absent-plugin`],
      `--plugin.weather.service=${address}`,
    ],
  });
  api = new ApiClient(server.url);
}, 120_000);

afterAll(async () => {
  await api?.close();
  await server?.stop();
  service?.close();
  removeFolder(folder);
});

function write(place: string, name: string, text: string): void {
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(path.join(place, name), text);
}

/** An example of docs/plugins.md as a stranger builds it: packages are the contract alone. */
function buildExample(name: string, index: number): string {
  const place = path.join(folder, name);
  const page = fs.readFileSync(path.join(projectRoot, 'docs', 'plugins.md'), 'utf8');
  const example = [...page.matchAll(/^```ts\n(.*?)^```$/gms)][index]?.[1] ?? '';
  write(place, 'package.json', JSON.stringify({ name, type: 'module', exports: `./${name}.js` }));
  write(place, `${name}.ts`, example);
  const npm = ['--no-audit', '--no-fund', '--offline', '--loglevel=error'];
  const contract = path.join(projectRoot, 'plugins', 'contract');
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...npm], {
    ...{ cwd: contract, encoding: 'utf8' },
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync('npm', ['install', ...npm, path.join(folder, filename)], { cwd: place });
  const modules = path.join(projectRoot, 'node_modules');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  execFileSync(
    process.execPath,
    [
      ...[path.join(modules, 'typescript', 'bin', 'tsc'), `${name}.ts`, ...options],
      ...['--typeRoots', path.join(modules, '@types')],
    ],
    { cwd: place, stdio: 'inherit' },
  );
  return place;
}

function bytesBelow(place: string): number {
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

async function outcomeOf(
  type: string,
  task: Partial<TaskConfig>,
  at = api,
): Promise<[status: string, reason: string]> {
  const name = type.toLowerCase();
  const tasks: TaskConfig[] = [{ name, taskReferenceName: name, type, ...task }];
  await at.registerWorkflows(definition(name, tasks));
  const id = await at.start({ name, version: 1, input: {} });
  const ended = await at.untilWorkflow(id, ({ status }) => status !== 'RUNNING');
  const { status, reasonForIncompletion, outputData } = ended.tasks[0] ?? {};
  return [String(status), reasonForIncompletion ?? JSON.stringify(outputData)];
}

const definition = (name: string, tasks: TaskConfig[]): WireWorkflowDef => ({
  ...{ name, version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0, tasks },
});

describe('the server without plug-ins', () => {
  it(`has at most ${packagesMax} packages and ${megabytesMax} MB with its one binary`, () => {
    const megabytes = bytesBelow(install) / 1e6;
    console.log(`core install: ${installedPlaces.length} packages, ${megabytes.toFixed(1)} MB`);
    expect(installedPlaces.length).toBeLessThanOrEqual(packagesMax);
    expect(megabytes).toBeLessThanOrEqual(megabytesMax);
    expect(fs.readdirSync(path.join(install, 'dist', 'listener'))).toHaveLength(2);
    expect(server.output).not.toContain('uWebSockets.js cannot be used');
  });

  it('goes on while its folder is built again', async () => {
    const dist = path.join(install, 'dist');
    await bundleInto(dist);
    // Written into in place of replaced, the binary took the server with it.
    copyListener(path.join(dist, 'listener'));
    const inputParameters = {
      evaluatorType: 'graaljs',
      expression: '(() => { let sum = 0; for (const n of [1, 2, 3]) sum += n; return sum; })()',
    };
    const task = { name: 's', taskReferenceName: 's', type: 'INLINE', inputParameters };
    const id = await api.start({
      name: 'built',
      version: 1,
      workflowDef: definition('built', [task]),
    });
    expect((await api.untilEnd(id)).tasks[0]?.outputData).toEqual({ result: 6 });
    expect(await api.request('GET', '/docs/')).toMatchObject({ status: 200 });
  });

  it('accepts a type whose plug-in is absent, with a warning', async () => {
    const task = { name: 'x', taskReferenceName: 'x', type: 'LIST_MCP_TOOLS' };
    const answer = await fetch(`${server.url}/api/metadata/workflow/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(definition('v', [task])),
    });
    expect(answer.status).toBe(200);
    const { warnings } = (await answer.json()) as { warnings: string[] };
    expect(warnings.join()).toContain('npm install @downbeat/plugin-mcp');
  });

  it('fails its task for good, and says what installs the plug-in', async () => {
    const [status, reason] = await outcomeOf('CALL_MCP_TOOL', {
      inputParameters: { mcpServer: 'http://127.0.0.1:1', method: 'm' },
    });
    expect(status).toBe('FAILED_WITH_TERMINAL_ERROR');
    expect(reason).toContain('run `npm install @downbeat/plugin-mcp` and start the server again');
    expect(server.output).toContain('workflow call_mcp_tool 1 is registered. Tasks of type CALL_');
  });

  it('says the same of an event whose broker is a plug-in', async () => {
    const [, reason] = await outcomeOf('EVENT', { sink: 'kafka:integration:topic' });
    expect(reason).toContain('npm install @downbeat/plugin-kafka');
  });
});

describe('models and vectors', () => {
  const asks = { inputParameters: { llmProvider: 'ai', model: 'm', prompt: 'Good morning' } };

  it('come with the server', async () => {
    const provider = new ModelServer();
    await provider.start();
    try {
      const { endpoint } = provider;
      const fields = { type: 'openai', configuration: { api_key: 'key', endpoint } };
      await api.ask('POST', '/api/integrations/provider/ai', fields);
      await api.ask('POST', '/api/integrations/provider/ai/integration/m', {});
      provider.next.push(answerText('and to you'));
      const [status, output] = await outcomeOf('LLM_TEXT_COMPLETE', asks);
      expect([status, JSON.parse(output)]).toMatchObject(['COMPLETED', { result: 'and to you' }]);
    } finally {
      await provider.stop();
    }
    expect(server.output).toMatch(/plug-ins: models 0\.1\.0/);
  });

  it('may be taken away: what needs them names the command that installs them', async () => {
    fs.rmSync(path.join(install, 'dist', 'included'), { recursive: true });
    const without = await startServer({ program: [path.join(install, 'dist', 'main.js')] });
    const there = new ApiClient(without.url);
    try {
      const command = '`npm install @downbeat/plugin-models` and start the server again';
      const [status, reason] = await outcomeOf('LLM_TEXT_COMPLETE', asks, there);
      expect(status).toBe('FAILED_WITH_TERMINAL_ERROR');
      expect(reason).toContain(command);
      const test = { llmProvider: 'ai', model: 'm', prompt: 'Good morning' };
      const refused = await fetch(`${without.url}/api/prompts/test`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(test),
      });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain(command);
    } finally {
      await there.close();
      await without.stop();
    }
  });
});

describe('a plug-in of somebody else', () => {
  it('runs its task type, with its setting', async () => {
    expect(await outcomeOf('WEATHER', { inputParameters: { city: 'Oslo' } })).toEqual([
      ...['COMPLETED', '{"weather":"sun /now/Oslo"}'],
    ]);
  });

  it('serves the routes of its area, and keeps its records', async () => {
    const note = `${server.url}/api/plugins/notes/lunch`;
    const send = (method: string, body?: string): Promise<Response> =>
      fetch(note, { method, ...(body !== undefined && { body }) });
    expect(await (await send('GET')).json()).toMatchObject({
      ...{ status: 404, message: 'No note lunch' },
    });
    expect((await send('PUT', '{')).status).toBe(400);
    expect(await (await send('PUT', '{"at":12}')).json()).toEqual({ at: 12 });
    expect(await (await send('GET')).json()).toEqual({ at: 12 });
    const health = (await (await fetch(`${server.url}/health`)).json()) as {
      details: { jobs: { name: string }[] };
    };
    expect(health.details.jobs.map(({ name }) => name)).toContain('notes: forget old notes');
  });

  it('that is broken or not there is named by the log and /health', async () => {
    const answer = await fetch(`${server.url}/health`);
    expect(await answer.json()).toMatchObject({
      healthy: true,
      details: {
        plugins: {
          [path.join(folder, 'broken')]: 'it is broken',
          'absent-plugin': 'there is no such package or folder (setting plugins)',
        },
      },
    });
    expect(server.output).toContain('the plug-in absent-plugin is not used: there is no such');
  });

  it('ends the start where a setting of it cannot be used', () => {
    const main = path.join(install, 'dist', 'main.js');
    const args = ['--port=0', `--plugins=${weather}`, '--plugin.weather.servce=x'];
    const data = path.join(folder, 'data');
    const { status, stderr } = spawnSync(process.execPath, [main, ...args, `--data-dir=${data}`], {
      ...{ encoding: 'utf8', timeout: 60_000 },
    });
    expect(stderr).toContain('There is no setting --plugin.weather.servce.');
    expect(status).toBe(2);
  });
});
