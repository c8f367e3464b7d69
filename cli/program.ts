// The table of contents of the command: every group and its commands.
import { Command } from 'commander';
import { addApply } from './commands/apply.js';
import { addBackup } from './commands/backup.js';
import { addBulk } from './commands/bulk.js';
import { addCompletion } from './commands/completion.js';
import { addConvert } from './commands/convert.js';
import { addDoctor } from './commands/doctor.js';
import { addExecutions } from './commands/executions.js';
import { addImport } from './commands/import.js';
import { addNouns } from './commands/nouns.js';
import { addPlugin } from './commands/plugin.js';
import { addProfile } from './commands/profile.js';
import { addProxy } from './commands/proxy.js';
import { addQueues } from './commands/queues.js';
import { addRestore } from './commands/restore.js';
import { addRun } from './commands/run.js';
import { addStart, type Words } from './commands/start.js';
import { addWorker } from './commands/worker.js';
import type { Context, Exit } from './shared/context.js';
import { version } from './shared/programmes.js';

const after = `
Which server: --server, else --profile, else CONDUCTOR_SERVER_URL (with CONDUCTOR_AUTH_KEY and
CONDUCTOR_AUTH_SECRET), else the profile in use, else http://localhost:8080.

Exit codes: 0 done; 1 failed, or differences found; 2 bad input, nothing was changed; 3 the server
cannot be reached; 4 no token or no right; 5 no such thing; of an execution that was followed: 10
failed, 11 timed out, 12 terminated; 130 after Ctrl-C.`;

export interface ProgramParts {
  readonly contextOf: (command: Command) => Context;
  readonly words: Words;
  readonly exit: Exit;
  /** Whether a command is called: then `--version` is an option of it, of `run` for one. */
  readonly hasCommand?: boolean;
}

export function buildProgram({ contextOf, words, exit, hasCommand }: ProgramParts): Command {
  const program = new Command('downbeat');
  program
    .description(
      'Runs workflows: a server of the Conductor REST API, and a command for any server of it.',
    )
    .version(version, hasCommand === true ? '-V' : '-V, --version', 'print the version')
    .option('--server <url>', 'address of the server')
    .option('--profile <name>', 'a profile (downbeat profile list)')
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .addHelpText('after', after)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(downbeat --help lists what there is)')
    .enablePositionalOptions(false);
  addStart(program, contextOf, words, exit);
  addDoctor(program, contextOf, exit);
  addBackup(program, contextOf, exit);
  addRestore(program, contextOf, exit);
  addPlugin(program, contextOf);
  addProxy(program, contextOf, exit);
  addRun(program, contextOf, exit);
  addExecutions(program, contextOf, exit);
  addBulk(program, contextOf, exit);
  addApply(program, contextOf, exit);
  addImport(program, contextOf, exit);
  addConvert(program, contextOf, exit);
  addQueues(program, contextOf);
  addWorker(program, contextOf);
  addNouns(program, contextOf);
  addProfile(program, contextOf);
  addCompletion(program);
  return program;
}
