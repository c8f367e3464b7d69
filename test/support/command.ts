// The command `downbeat` as users have it: packed, unpacked in a folder of its own, with the
// packages of this project beside it instead of an installation from the registry. It is run in a
// pipe, or in a pseudo-terminal that util-linux `script` makes.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { startProgram, type Program } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
}

export interface ThreadOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly until?: RegExp;
}

export interface ThreadRan {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that takes longer is ended: a test that waits for ever says nothing. */
const runMsMax = 60_000;

export class PackedCommand {
  readonly folder = createFolder();
  readonly #file: string;

  /** `node`: the Node.js that runs it. */
  constructor(
    readonly server: string,
    readonly node: string = process.execPath,
  ) {
    const packer = path.join(projectRoot, 'bin', 'pack.mjs');
    const options = ['--no-ui', '--out', this.folder];
    const packed = execFileSync(process.execPath, [packer, ...options], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    execFileSync('tar', ['-xzf', packed, '-C', this.folder]);
    const { root } = this;
    fs.symlinkSync(path.join(projectRoot, 'node_modules'), path.join(root, 'node_modules'));
    const { bin } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      bin: { downbeat: string };
    };
    this.#file = path.join(root, bin.downbeat);
  }

  /** Where the package lies unpacked. */
  get root(): string {
    return path.join(this.folder, 'package');
  }

  /** In a pipe. */
  run(args: readonly string[], { env, input = '', cwd }: RunOptions = {}): Promise<Ran> {
    return new Promise((resolve) => {
      const child = spawn(this.node, [this.#file, ...args], {
        env: this.#env(env),
        cwd: cwd ?? this.folder,
        timeout: runMsMax,
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
      child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  /**
   * In a pipe too, in a thread of this process, which takes a third of the time of a process. The
   * command is ended when its standard error matches `until`; its code is undefined then.
   */
  inThread(args: readonly string[], { env, until }: ThreadOptions = {}): Promise<ThreadRan> {
    const options = { env: this.#env(env), argv: [...args], stdin: true, stdout: true };
    const file = path.join(this.root, 'dist', 'cli', 'main.js');
    const worker = new Worker(file, { ...options, stderr: true, execArgv: [] });
    let [stdout, stderr, isCut] = ['', '', false];
    const cut = (): void => {
      isCut = true;
      void worker.terminate();
    };
    const timer = setTimeout(cut, runMsMax);
    worker.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
    worker.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString();
      if (until?.test(stderr) === true) cut();
    });
    worker.stdin?.end();
    return new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('exit', (code) => {
        clearTimeout(timer);
        resolve({ code: isCut ? undefined : code, stdout, stderr });
      });
    });
  }

  /** Started, not waited for. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const options = { env: this.#env(env), cwd: this.folder };
    return startProgram(this.node, [this.#file, ...args], options);
  }

  /** In a pseudo-terminal; its output is what the terminal got. */
  inTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const words = [this.node, this.#file, ...args].map(quoted).join(' ');
    // A terminal without a size has no columns.
    const command = `stty rows 30 cols 100; exec ${words}`;
    return startProgram('script', ['-qefc', command, '/dev/null'], {
      env: this.#env({ TERM: 'xterm', ...env }),
      cwd: this.folder,
    });
  }

  remove(): void {
    removeFolder(this.folder);
  }

  /** Without what the caller's own environment says of servers and colours. */
  #env(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    return { PATH, HOME: this.folder, CONDUCTOR_SERVER_URL: `${this.server}/api`, ...env };
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether a pseudo-terminal can be had here. */
export function hasScript(): boolean {
  try {
    execFileSync('script', ['-qefc', 'true', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
