// The process of the command `downbeat`: arguments, exit code, Ctrl-C. program.ts has its commands.
import { CommanderError, type Command } from 'commander';
import { buildProgram } from './program.js';
import { contextOf } from './shared/context.js';
import { exitCodes, Failure } from './shared/failure.js';
import { withoutControls } from './shared/live-region.js';
import { isProgrammeRunning } from './shared/programmes.js';

const { stdout, stderr, stdin, env, argv } = process;
const interrupted = new AbortController();
const ownWords = argv.slice(2);

// A reader that has enough (`| head`) is no failure.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
  });
}

/** Commands that end by themselves after Ctrl-C: they say which work goes on, or do the rest. */
const heedsCtrlC = new Set(['run', 'watch', 'worker', 'bulk', 'import', 'proxy']);
// A server that this command runs is told of signals, and the command ends with it.
process.on('SIGINT', () => {
  if (isProgrammeRunning()) return void interrupted.abort();
  if (interrupted.signal.aborted || !heedsCtrlC.has(nameOf(ownWords))) process.exit(130);
  interrupted.abort();
});
process.on('SIGTERM', () => {
  if (isProgrammeRunning()) return;
  if (nameOf(ownWords) !== 'worker') process.exit(143);
  interrupted.abort();
});

/** '' where no command is called. */
function nameOf(words: readonly string[]): string {
  const isValue = (i: number): boolean => ['--server', '--profile'].includes(words[i - 1] ?? '');
  return words.find((word, i) => !word.startsWith('-') && !isValue(i)) ?? '';
}

const program = buildProgram({
  contextOf: (command) =>
    contextOf(command, {
      streams: { stdout, stderr, stdin },
      env,
      interrupted: interrupted.signal,
    }),
  words: () => ownWords.slice(ownWords.indexOf(nameOf(ownWords)) + 1),
  exit: (code) => (process.exitCode = code),
  hasCommand: nameOf(ownWords) !== '',
});
prepare(program);

/** Resolves when the command has done its work, with whether that was done. */
export const started = run();

async function run(): Promise<boolean> {
  try {
    if (ownWords.length === 0) program.outputHelp();
    else await program.parseAsync(argv);
    return true;
  } catch (error) {
    process.exitCode = codeOf(error);
    return false;
  }
}

function prepare(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) prepare(each);
}

function codeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Help and version are answers; the library has said what was wrong with other calls.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.badInput;
  }
  if (error instanceof Failure) {
    stderr.write(`${stderr.isTTY ? withoutControls(error.message) : error.message}\n`);
    return error.code;
  }
  if (interrupted.signal.aborted) return 130;
  stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.failed;
}
