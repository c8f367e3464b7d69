// The deployment of deploy/compose.yaml without containers: the same commands with the same
// variables, as processes of this machine. Only what a container gives is replaced: places of
// files, names of hosts, ports, and the address to listen on.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  deployFolder,
  nodesOf,
  readComposeFile,
  readImageFile,
  type ComposeFile,
} from './compose-file.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram, type Program } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { until } from '../../testkit/until.js';

const startTimeoutMs = 40_000;
const image = readImageFile();

export class LocalDeployment {
  readonly #programs = new Map<string, Program>();
  /** What stands in a container, and what stands for it here. */
  readonly #places: (readonly [RegExp, string])[] = [];

  private constructor(
    readonly folder: string,
    private readonly file: ComposeFile,
    /** Ports of Redis, of the API and of the peers, by service. */
    private readonly ports: ReadonlyMap<string, { readonly main: number; readonly peer: number }>,
  ) {
    const [first = ''] = this.nodes;
    for (const [name, { file: source }] of Object.entries(file.secrets)) {
      this.#places.push([new RegExp(`/run/secrets/${name}\\b`, 'g'), source]);
    }
    for (const name of this.nodes) {
      this.#places.push([new RegExp(`\\b${name}:7080`, 'g'), `127.0.0.1:${this.#port(name).peer}`]);
    }
    this.#places.push([/\bnodes:8080/g, `127.0.0.1:${this.#port(first).main}`]);
    this.#places.push([/^\/keys\//g, `${folder}/keys/`]);
  }

  /** Makes the secrets and chooses the ports; starts nothing. The caller removes it. */
  static async create(): Promise<LocalDeployment> {
    const folder = createFolder();
    const secrets = path.join(folder, 'secrets');
    await promisify(execFile)('sh', [path.join(deployFolder, 'make-secrets.sh'), secrets]);
    const file = readComposeFile({ DOWNBEAT_SECRETS: secrets });
    const ports = new Map<string, { main: number; peer: number }>();
    for (const name of ['redis', ...nodesOf(file)]) {
      ports.set(name, { main: await freePort(), peer: await freePort() });
    }
    const settings = path.join(secrets, 'settings.json');
    const text = fs.readFileSync(settings, 'utf8');
    fs.rmSync(settings);
    fs.writeFileSync(settings, text.replace('redis:6379', `127.0.0.1:${ports.get('redis')?.main}`));
    fs.mkdirSync(path.join(folder, 'keys', 'admin'), { recursive: true });
    fs.mkdirSync(path.join(folder, 'keys', 'worker'));
    return new LocalDeployment(folder, file, ports);
  }

  get nodes(): readonly string[] {
    return nodesOf(this.file);
  }

  urlOf(node: string): string {
    return `http://127.0.0.1:${this.#port(node).main}`;
  }

  readKey(owner: 'admin' | 'worker'): string {
    return fs.readFileSync(path.join(this.folder, 'keys', owner, 'key.json'), 'utf8');
  }

  /** Resolves when the health check of the compose file succeeds. */
  async startRedis(): Promise<void> {
    const { command: [program = '', ...args] = [], healthcheck } = this.#service('redis');
    const here = ['--port', String(this.#port('redis').main), '--bind', '127.0.0.1'];
    const given = [...args.map((arg) => this.#here(arg)), ...here, '--dir', this.folder];
    this.#start('redis', program, given);
    const check = this.#here(healthcheck?.test?.[1] ?? '').replaceAll('$$', '$');
    const asked = check.replace('redis-cli', `redis-cli -p ${this.#port('redis').main}`);
    await this.#untilHealthy('redis', 'sh', ['-c', asked]);
  }

  /** Resolves when the health check of the image succeeds. */
  async startNode(name: string): Promise<void> {
    const [, ...options] = image.entrypoint;
    this.#start(name, process.execPath, [...options, ...image.command], this.#environmentOf(name));
    const [program = '', ...check] = image.healthcheck;
    await this.#untilHealthy(name, program, check, this.#environmentOf(name));
  }

  /** Resolves with what it wrote; rejects when it fails. */
  async setUp(): Promise<string> {
    const [, ...options] = image.entrypoint;
    const program = path.join(
      deployFolder,
      path.basename(this.#service('set-up').command?.[0] ?? ''),
    );
    const run = promisify(execFile)(process.execPath, [...options, program], {
      cwd: projectRoot,
      env: this.#environmentOf('set-up'),
      timeout: startTimeoutMs,
    });
    return (await run).stdout;
  }

  /** Resolves when all of them poll. */
  async startWorkers(): Promise<void> {
    const program = path.join(deployFolder, 'worker', 'worker.mjs');
    for (let i = 1; i <= (this.#service('worker').deploy?.replicas ?? 1); i++) {
      const name = `worker-${i}`;
      this.#start(name, process.execPath, [program], this.#environmentOf('worker'));
      const polls = (): boolean => this.#running(name).output().includes('polls http://');
      await until(`polls of ${name}`, polls, { timeoutMs: startTimeoutMs });
    }
  }

  /** Ends a process as a container is stopped; resolves with its exit code. */
  async stop(name: string): Promise<number | null> {
    const program = this.#program(name);
    if (!program.hasEnded()) signalProcess(program.pid, 'SIGTERM');
    return (await program.ended).code;
  }

  /** Names of what was started, in that order. */
  get started(): readonly string[] {
    return [...this.#programs.keys()];
  }

  async remove(): Promise<void> {
    for (const program of this.#programs.values()) {
      if (!program.hasEnded()) signalProcess(program.pid, 'SIGKILL');
      await program.ended;
    }
    removeFolder(this.folder);
  }

  /** Nothing of the tests' own environment but PATH. */
  #environmentOf(name: string): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] };
    for (const [variable, value] of Object.entries(this.#service(name).environment ?? {})) {
      env[variable] = this.#here(value);
    }
    if (!this.nodes.includes(name)) return env;
    env['DOWNBEAT_HOST'] = '127.0.0.1';
    env['DOWNBEAT_PEER_HOST'] = '127.0.0.1';
    env['DOWNBEAT_PORT'] = String(this.#port(name).main);
    env['DOWNBEAT_PEER_PORT'] = String(this.#port(name).peer);
    env['DOWNBEAT_DATA_DIR'] = path.join(this.folder, name);
    return env;
  }

  #here(text: string): string {
    return this.#places.reduce((done, [place, instead]) => done.replace(place, instead), text);
  }

  #start(name: string, command: string, args: readonly string[], env?: NodeJS.ProcessEnv): void {
    const options = { cwd: projectRoot, ...(env === undefined ? {} : { env }) };
    this.#programs.set(name, startProgram(command, args, options));
  }

  async #untilHealthy(
    name: string,
    command: string,
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<void> {
    const check = async (): Promise<boolean> => {
      this.#running(name);
      const asked = promisify(execFile)(command, args, env === undefined ? {} : { env });
      return asked.then(
        () => true,
        ({ code }: { code?: unknown }) => {
          if (code === 127) throw new Error(`${args.join(' ')}: the programme is not on PATH`);
          return false;
        },
      );
    };
    await until(`health of ${name}`, check, { timeoutMs: startTimeoutMs, everyMs: 500 });
  }

  #service(name: string): ComposeFile['services'][string] {
    const service = this.file.services[name];
    if (service === undefined) throw new Error(`the compose file has no service ${name}`);
    return service;
  }

  #program(name: string): Program {
    const program = this.#programs.get(name);
    if (program === undefined) throw new Error(`${name} was not started`);
    return program;
  }

  /** Throws with what it wrote when it has ended. */
  #running(name: string): Program {
    const program = this.#program(name);
    if (program.hasEnded()) throw new Error(`${name} ended:\n${program.output()}`);
    return program;
  }

  #port(name: string): { readonly main: number; readonly peer: number } {
    const ports = this.ports.get(name);
    if (ports === undefined) throw new Error(`${name} has no ports`);
    return ports;
  }
}
