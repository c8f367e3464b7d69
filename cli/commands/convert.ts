// `downbeat convert FILE`: workflow definitions of a state machine in the Amazon States Language,
// as files that `apply` takes. Parts that are not carried are told by state and field.
import path from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { writeFile } from '../apply/files.js';
import { workflow } from '../apply/kinds.js';
import { convertMachine, type Converted } from '../asl/convert.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, exitCodes } from '../shared/failure.js';
import { parseText, readText } from '../shared/read-text.js';

interface ConvertOptions {
  readonly name?: string;
  readonly out?: string;
  readonly strict?: boolean;
}

export function addConvert(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('convert')
    .helpGroup('Definitions:')
    .summary('workflow definitions of an Amazon States Language file')
    .argument('<file>', 'a state machine, JSON or YAML')
    .option('--name <name>', 'name of the workflow; by default that of the file')
    .option('--out <folder>', 'write files that apply takes; by default they are printed')
    .option('--strict', 'end with 1 when something is not carried')
    .action((file: string, options: ConvertOptions, command: Command) => {
      const { out } = contextOf(command);
      const name = options.name ?? path.basename(file).replace(/(?:\.asl)?\.\w+$/, '');
      const { definitions, notes } = converted(file, name);
      for (const { state, field, what } of notes) out.note(`${state}: ${field}: ${what}`);
      const { out: folder } = options;
      if (folder === undefined) {
        const human = (): string =>
          definitions
            .map((each) => stringify(each))
            .join('---\n')
            .trimEnd();
        out.result({ definitions, notes }, human);
      } else {
        const files = definitions.map((each) => writeFile(folder, workflow, each, 'yaml'));
        out.result({ files, notes }, () => files.join('\n'));
      }
      const isLess = options.strict === true && notes.length > 0;
      exit(isLess ? exitCodes.failed : exitCodes.done);
    });
}

function converted(file: string, name: string): Converted {
  const machine = read(file);
  try {
    return convertMachine(machine, name);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badInput(
      `${file} is nested more deeply than it can be read: make branches of it machines.`,
    );
  }
}

function read(file: string): unknown {
  try {
    return parseText(readText(file), /\.json$/i.test(file) ? 'json' : 'yaml');
  } catch (error) {
    throw badInput(`${file} cannot be read (${(error as Error).message.split('\n')[0]}).`);
  }
}
