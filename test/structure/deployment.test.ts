import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, toVariable } from '../../src/server/config.js';
import type { Settings } from '../../src/server/settings-table.js';
import { settingsTable } from '../../src/server/settings-table.js';
import {
  deployFolder,
  nodesOf,
  readComposeFile,
  readImageFile,
  type ComposeService,
} from '../support/compose-file.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { readProjectFile } from './source-tree.js';

const folder = createFolder();
const secrets = path.join(folder, 'secrets');
const file = readComposeFile({ DOWNBEAT_SECRETS: secrets });
const image = readImageFile();
const services = Object.entries(file.services);
const nodes = nodesOf(file).map((name) => ({ name, service: serviceOf(name) }));

function serviceOf(name: string): ComposeService {
  return file.services[name] as ComposeService;
}

function makeSecrets(): string {
  const script = path.join(deployFolder, 'make-secrets.sh');
  return execFileSync('sh', [script, secrets], { encoding: 'utf8', stdio: 'pipe' });
}

/** The settings with which a node of the file starts. */
function settingsOf(service: ComposeService): Settings {
  const env = Object.entries(service.environment ?? {}).map(([name, value]) => {
    const secret = /^\/run\/secrets\/(\w+)$/.exec(value)?.[1];
    return [name, secret === undefined ? value : file.secrets[secret]?.file];
  });
  return readSettings([], Object.fromEntries(env) as NodeJS.ProcessEnv);
}

beforeAll(() => void makeSecrets());
afterAll(() => removeFolder(folder));

describe('the compose file', () => {
  it('names no variable that the server does not read', () => {
    const known = ['DOWNBEAT_CONFIG', ...Object.keys(settingsTable).map(toVariable)];
    const named = services.flatMap(([, service]) => Object.keys(service.environment ?? {}));
    const inImage = [...image.text.matchAll(/\b(DOWNBEAT_\w+)=/g)].map((found) => found[1] ?? '');
    const ours = [...named, ...inImage].filter((name) => name.startsWith('DOWNBEAT_'));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('starts three nodes that ask for tokens and reach each other by name', () => {
    expect(nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2', 'node-3']);
    for (const { name, service } of nodes) {
      const settings = settingsOf(service);
      expect(settings).toMatchObject({ auth: true, allowUnauthenticated: false, nodeId: name });
      expect(settings.peerAddress).toBe(`${name}:${settings.peerPort}`);
      expect(new URL(settings.redisUrl)).toMatchObject({ hostname: 'redis', port: '6379' });
      expect(service.ports?.[0]?.split(':').at(-1)).toBe(String(settings.port));
    }
  });

  it('publishes each node on a port of its own, on loopback only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    const published = ports.map((port) => port.split(':').slice(0, 2).join(':'));
    expect(published).toEqual(['127.0.0.1:8080', '127.0.0.1:8081', '127.0.0.1:8082']);
  });

  it('waits for what each service needs', () => {
    for (const [name, service] of services) {
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(Object.keys(file.services), `needed by ${name}`).toContain(needed);
        const other = serviceOf(needed);
        const hasCheck = other.healthcheck?.test !== undefined || other.image === 'downbeat';
        if (condition === 'service_healthy')
          expect(hasCheck && !other.healthcheck?.disable).toBe(true);
        else expect(condition).toBe('service_completed_successfully');
      }
    }
    expect(Object.keys(serviceOf('worker').depends_on ?? {})).toEqual(['set-up']);
    expect(serviceOf('worker').deploy?.replicas).toBeGreaterThan(1);
  });

  it('names only files, secrets and volumes that there are', () => {
    for (const [name, { build, secrets: used = [], volumes = [] }] of services) {
      const context = typeof build === 'string' ? build : build?.context;
      const dockerfile =
        (typeof build === 'string' ? undefined : build?.dockerfile) ?? 'Dockerfile';
      if (context !== undefined) {
        expect(fs.existsSync(path.join(deployFolder, context, dockerfile)), name).toBe(true);
      }
      for (const secret of used) {
        expect(fs.existsSync(file.secrets[secret]?.file ?? ''), secret).toBe(true);
      }
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        const isThere = source.startsWith('.')
          ? fs.existsSync(path.join(deployFolder, source))
          : source in file.volumes;
        expect(isThere, volume).toBe(true);
      }
    }
  });

  it('is described: services, ports and commands', () => {
    const page = readProjectFile('docs/deployment.md');
    const ports = nodes.map(({ service }) => service.ports?.[0]?.split(':')[1] ?? '');
    const commands = ['sh deploy/make-secrets.sh', 'docker compose -f deploy/compose.yaml up'];
    for (const word of [...services.map(([name]) => `\`${name}\``), ...ports, ...commands]) {
      expect(page).toContain(word);
    }
  });
});

describe('the secrets of the compose file', () => {
  it('are the password of Redis, twice the same, and a key of 32 bytes', () => {
    const read = (name: string): string => fs.readFileSync(file.secrets[name]?.file ?? '', 'utf8');
    const { redisUrl } = JSON.parse(read('settings')) as { redisUrl: string };
    expect(read('redis')).toBe(`requirepass ${new URL(redisUrl).password}\n`);
    expect(new URL(redisUrl).password).toMatch(/^[0-9a-f]{48}$/);
    expect(Buffer.from(read('secrets_key'), 'base64')).toHaveLength(32);
    expect(fs.statSync(secrets).mode & 0o077).toBe(0);
  });

  it('are never replaced', () => {
    const before = fs.readFileSync(file.secrets['secrets_key']?.file ?? '', 'utf8');
    expect(makeSecrets).toThrow(/exists and stays as it is/);
    expect(fs.readFileSync(file.secrets['secrets_key']?.file ?? '', 'utf8')).toBe(before);
  });

  it('stay out of the repository and of the image', () => {
    expect(readProjectFile('.gitignore').split('\n')).toContain('deploy/secrets/');
    const [first, ...kept] = readProjectFile('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    expect(kept.filter((line) => line.includes('deploy'))).toEqual([]);
  });
});

describe('the image', () => {
  it('runs the server as process 1, by nobody with rights, with the options of npm start', () => {
    const start = (JSON.parse(readProjectFile('package.json')) as { scripts: { start: string } })
      .scripts.start;
    const options = start.split(' ').filter((word) => word.startsWith('--'));
    expect(image.entrypoint).toEqual(['node', ...options]);
    expect(image.command).toEqual(['dist/main.js']);
    // By number: an orchestrator that refuses root cannot read names.
    const users = [...image.text.matchAll(/^USER (.*)$/gm)].map((found) => found[1]);
    expect(users).toEqual(['1000:1000']);
    expect(image.text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    for (const [name, service] of services) expect(service.init, name).toBe(true);
  });

  it('is built from files that reach the builder, on a Node.js that the server runs on', () => {
    const reaching = readProjectFile('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(reaching.filter((name) => !fs.existsSync(path.join(deployFolder, '..', name)))).toEqual(
      [],
    );
    const copied = [...image.text.matchAll(/^COPY (?!--)(.*) \.\/$/gm)].flatMap(
      (found) => found[1]?.split(' ') ?? [],
    );
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.filter((name) => !reaching.includes(name))).toEqual([]);
    const bases = [...image.text.matchAll(/^FROM (\S+)/gm)].map((found) => found[1]);
    expect(new Set(bases)).toEqual(new Set(['node:24-trixie-slim', 'scratch', 'base']));
    expect(image.text.trimEnd()).toMatch(
      /\nFROM base AS server\nCOPY --from=build \/image\/all \.$/,
    );
  });
});

describe('the example of the compose file', () => {
  it('has workers for the tasks that it sets up, with the SDK that the tests use', () => {
    const worker = readProjectFile('deploy/worker/worker.mjs');
    const done = [...worker.matchAll(/taskDefName: '(\w+)'/g)].map((found) => found[1]);
    const setUp = /const taskNames = \[(.*)\]/.exec(readProjectFile('deploy/set-up.mjs'))?.[1];
    expect(done.map((name) => `'${name}'`).join(', ')).toBe(setUp);
    const packages = ['package.json', 'deploy/worker/package.json'].map(
      (name) =>
        JSON.parse(readProjectFile(name)) as Record<string, Record<string, string> | undefined>,
    );
    const [ours, theirs] = packages;
    for (const [name, range] of Object.entries(theirs?.['dependencies'] ?? {})) {
      expect(ours?.['devDependencies']?.[name]).toBe(range);
    }
  });
});
