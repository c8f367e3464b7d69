// `downbeat plugin`: packages beside the server that bring task types and brokers. A server takes
// what is installed when it starts (docs/plugins.md).
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../shared/context.js';
import { badInput, exitCodes, Failure } from '../shared/failure.js';
import { isClone, packageRoot, version } from '../shared/programmes.js';

/** The plug-ins that are made with the server, and what each brings. */
export const plugins: Readonly<Record<string, string>> = {
  mcp: 'LIST_MCP_TOOLS, CALL_MCP_TOOL',
  kafka: 'events of Kafka, KAFKA_PUBLISH',
  amqp: 'events of RabbitMQ and other AMQP 0.9.1',
  nats: 'events of NATS and JetStream',
  sqs: 'events of Amazon SQS',
  documents: 'GET_DOCUMENT, PARSE_DOCUMENT, CHUNK_TEXT, LIST_FILES, GENERATE_PDF',
  grpc: 'GRPC',
  models:
    'LLM_CHAT_COMPLETE, LLM_TEXT_COMPLETE, LLM_GENERATE_EMBEDDINGS, ' +
    'GENERATE_IMAGE, GENERATE_AUDIO, GENERATE_VIDEO, ' +
    'LLM_INDEX_TEXT, LLM_INDEX_DOCUMENT, LLM_STORE_EMBEDDINGS, ' +
    'LLM_SEARCH_INDEX, LLM_SEARCH_EMBEDDINGS, LLM_GET_EMBEDDINGS',
  mail: 'SENDGRID, OPSGENIE',
  opentelemetry: 'spans of executions over OTLP',
  rules: 'BUSINESS_RULE',
  sql: 'JDBC, vector stores of PostgreSQL',
};

const again = 'A server that runs takes it when it is started again.';

export function addPlugin(program: Command, contextOf: (command: Command) => Context): void {
  const plugin = program
    .command('plugin')
    .helpGroup('The server:')
    .summary('packages beside the server: brokers and further task types');
  plugin
    .command('list')
    .summary('all that are made with the server, and which are installed')
    .action((_: unknown, command: Command) => {
      const { out } = contextOf(command);
      const shown = Object.entries(plugins).map(([name, brings]) => ({
        name,
        installed: installedVersion(name) ?? null,
        brings,
      }));
      const rows = shown.map(({ name, installed, brings }) => [name, installed ?? '-', brings]);
      out.table(['NAME', 'INSTALLED', 'BRINGS'], rows, shown);
    });
  plugin
    .command('add')
    .summary('install one beside the server')
    .argument('<name>', `one of ${Object.keys(plugins).join(', ')}`)
    .action((name: string, _: unknown, command: Command) => {
      const { out } = contextOf(command);
      requireKnown(name);
      const known = installedVersion(name);
      if (known !== undefined) {
        out.result({ name, version: known }, () => `${name} ${known} is installed already`);
        return;
      }
      if (isClone) runClone(name);
      else runNpm('install', `${packageOf(name)}@${version}`);
      const added = installedVersion(name);
      if (added === undefined)
        throw new Failure(`npm ended well, but ${packageOf(name)} is not beside the server.`);
      out.result({ name, version: added }, () => `${name} ${added} is installed`);
      out.note(again);
    });
  plugin
    .command('remove')
    .summary('take one away')
    .argument('<name>', 'name of the plug-in')
    .action((name: string, _: unknown, command: Command) => {
      const { out } = contextOf(command);
      requireKnown(name);
      if (installedVersion(name) === undefined)
        throw new Failure(`${name} is not installed.`, exitCodes.notFound);
      const included = includedFolder(name);
      if (isClone || folderOf(name) === included) {
        fs.rmSync(folderOf(name) ?? '', { recursive: true });
      } else runNpm('uninstall', packageOf(name));
      fs.rmSync(included, { recursive: true, force: true });
      out.result({ name }, () => `${name} is removed`);
      out.note('A server that runs has it until it is started again.');
    });
}

function requireKnown(name: string): void {
  if (plugins[name] !== undefined) return;
  throw badInput(
    `There is no plug-in '${name}'. There are: ${Object.keys(plugins).join(', ')}. Other packages: npm install PACKAGE, then downbeat start --plugins PACKAGE. Nothing was changed.`,
  );
}

function packageOf(name: string): string {
  return `@downbeat/plugin-${name}`;
}

/** As the server finds it: in a folder node_modules from its own upwards, or beside its bundle. */
function folderOf(name: string): string | undefined {
  for (let place = packageRoot; ; place = path.dirname(place)) {
    const folder = path.join(place, 'node_modules', packageOf(name));
    if (fs.existsSync(path.join(folder, 'package.json'))) return folder;
    if (path.dirname(place) === place) break;
  }
  const included = includedFolder(name);
  return fs.existsSync(included) ? included : undefined;
}

/** Where one lies that comes with the server. */
function includedFolder(name: string): string {
  return path.join(packageRoot, 'dist', 'included', name);
}

function installedVersion(name: string): string | undefined {
  const folder = folderOf(name);
  if (folder === undefined) return undefined;
  const text = fs.readFileSync(path.join(folder, 'package.json'), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version ?? '');
}

function runClone(name: string): void {
  const script = path.join(packageRoot, 'bin', 'setup-plugins.mjs');
  const { status } = spawnSync(process.execPath, [script, name], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Failure(`The plug-in ${name} could not be set up.`);
}

/** In the project, or the global folder, whose node_modules holds this package. */
function runNpm(verb: 'install' | 'uninstall', what: string): void {
  const parts = packageRoot.split(path.sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0)
    throw badInput(
      `${packageRoot} was not installed by npm, so nothing can be installed beside it: npm install downbeat-${version}.tgz in a folder of its own. Nothing was changed.`,
    );
  const project = parts.slice(0, at).join(path.sep) || path.sep;
  const isGlobal = !fs.existsSync(path.join(project, 'package.json'));
  const args = [verb, ...(isGlobal ? ['--global'] : []), what];
  const { error, status, stderr } = spawnSync('npm', args, {
    cwd: project,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw new Failure('npm is not on PATH: it comes with Node.', 2);
  if (status === 0) return;
  const why = stderr
    .split('\n')
    .filter((line) => /^npm (?:error|ERR!)/.test(line))
    .slice(0, 3)
    .join('\n');
  throw new Failure(`npm ${args.join(' ')} in ${project} ended with ${status}:\n${why}`);
}
