// `downbeat apply DIR`, `diff DIR` and `export DIR`: definitions, task definitions, schedules,
// handlers, webhooks, prompts, schemas, forms and grants as files.
import type { Command } from 'commander';
import { exported } from '../apply/compare.js';
import { readFiles, writeFile } from '../apply/files.js';
import { grant, kinds, tellAbsent, type Kind } from '../apply/kinds.js';
import { carryOut, checkBeforehand, planOf, type Step } from '../apply/plan.js';
import type { Context, Exit } from '../shared/context.js';
import { badInput, codeAfter, exitCodes, Failure } from '../shared/failure.js';
import type { Output, Paint } from '../shared/output.js';

type Make = (command: Command) => Context;

const group = 'Definitions:';

interface ApplyOptions {
  readonly label?: string;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addApply(program: Command, contextOf: Make, exit: Exit): void {
  program
    .command('apply')
    .helpGroup(group)
    .summary('store definitions from files')
    .description(
      `Stores what the files of a folder say: ${kinds.map(({ folder }) => folder).join(', ')}, one in each YAML or JSON file. The plan is printed first. What is as the files say stays as it is, so apply may run again at any time, also after it broke off.`,
    )
    .argument('<dir>', 'folder, or one file')
    .option('-l, --label <key=value>', 'tag that marks what these files own')
    .option('--prune', 'delete what has the label and is in no file')
    .option('--dry-run', 'print the plan and change nothing')
    .option('-y, --yes', 'do not ask before something is deleted')
    .action(async (dir: string, options: ApplyOptions, command: Command) => {
      await apply(contextOf(command), dir, options);
    });
  program
    .command('diff')
    .helpGroup(group)
    .summary('what apply would change; exit code 1 when there is something')
    .argument('<dir>', 'folder, or one file')
    .option('-l, --label <key=value>', 'as in apply')
    .option('--prune', 'as in apply')
    .action(async (dir: string, options: ApplyOptions, command: Command) => {
      const { out, client } = contextOf(command);
      const label = labelOf(options);
      const steps = await planOf(client(), readFiles(dir), {
        label,
        prune: options.prune === true,
      });
      out.result(steps.map(shownStep), () => planText(out, steps));
      if (steps.some(({ action }) => action !== 'unchanged')) exit(exitCodes.failed);
    });
  addExport(program, contextOf);
}

async function apply(context: Context, dir: string, options: ApplyOptions): Promise<void> {
  const { out, client } = context;
  const label = labelOf(options);
  const given = readFiles(dir);
  const server = client();
  const say = (sentence: string): void => out.note(sentence);
  const steps = await server.patiently(
    () => planOf(server, given, { label, prune: options.prune === true }),
    say,
  );
  out.note(planText(out, steps));
  const todo = steps.filter(({ action }) => action !== 'unchanged');
  for (const warning of await server.patiently(() => checkBeforehand(server, todo), say)) {
    out.note(`Warning: ${warning}`);
  }
  if (options.dryRun === true || todo.length === 0) {
    if (out.isJson) out.result(steps.map(shownStep), () => '');
    return;
  }
  const deleted = todo.filter(({ action }) => action === 'delete').length;
  if (deleted > 0 && options.yes !== true && !(await out.confirm(`Delete ${deleted}?`, '--yes'))) {
    throw new Failure('Nothing was changed.');
  }
  let done = 0;
  for (const step of todo) {
    try {
      await carryOut(server, step, { label, say });
    } catch (error) {
      throw brokenOff(error, step, done, todo.length);
    }
    done++;
    out.note(`${done}/${todo.length} ${step.kind.name} ${step.id}: ${pastOf(step.action)}`);
  }
  out.result(steps.map(shownStep), () => `${done} done, ${steps.length - todo.length} unchanged`);
}

function brokenOff(error: unknown, step: Step, done: number, all: number): unknown {
  if (!(error instanceof Failure)) return error;
  const left = `${done} of ${all} are done; ${step.kind.name} ${step.id} and what follows are not. The same command goes on from here.`;
  const place = step.file === undefined ? '' : `${step.file}: `;
  return new Failure(`${place}${error.message}\n${left}`, codeAfter(error.code, done));
}

/** `team=a` and `team:a` are the same tag. */
function labelOf({ label }: ApplyOptions): string | undefined {
  if (label === undefined) return undefined;
  const match = /^([^=:\s]+)[=:](\S+)$/.exec(label);
  if (match === null)
    throw badInput(
      `--label takes key=value, such as team=billing, not '${label}'. Nothing was changed.`,
    );
  return `${match[1]}:${match[2]}`;
}

const looks: Readonly<Record<Step['action'], readonly [sign: string, paint: Paint]>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
  unchanged: ['=', 'dim'],
};

const changesShownMax = 10;

function planText(out: Output, steps: readonly Step[]): string {
  const lines = steps
    .filter(({ action }) => action !== 'unchanged')
    .flatMap(({ action, kind, id, changes }) => {
      const [sign, paint] = looks[action];
      const more = changes.length - changesShownMax;
      return [
        out.painted(paint, `${sign} ${kind.name} ${id}`),
        ...changes.slice(0, changesShownMax).map((each) => `    ${each}`),
        ...(more > 0 ? [`    ... and ${more} more`] : []),
      ];
    });
  const count = (action: Step['action']): number =>
    steps.filter((each) => each.action === action).length;
  const total = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${count('unchanged')} unchanged`;
  return [...lines, total].join('\n');
}

function shownStep({ action, kind, id, changes }: Step): object {
  return { action, kind: kind.name, id, changes };
}

function pastOf(action: Step['action']): string {
  return { create: 'created', update: 'changed', delete: 'deleted', unchanged: 'unchanged' }[
    action
  ];
}

interface ExportOptions {
  readonly format: string;
  readonly name?: string;
  readonly kind?: readonly string[];
}

function addExport(program: Command, contextOf: Make): void {
  program
    .command('export')
    .helpGroup(group)
    .summary('write what a server has into files')
    .description(
      'Writes what a server has, one file each, in the form that apply reads. Secret values are not shown by a server, so they are in no file; grants are read per target and not exported.',
    )
    .argument('<dir>', 'folder; files of the same names are written over')
    .option('--format <format>', 'yaml or json', 'yaml')
    .option('--name <prefix>', 'only what has a name that begins so')
    .option('--kind <kind...>', `only these: ${kinds.map(({ name }) => name).join(', ')}`)
    .action(async (dir: string, options: ExportOptions, command: Command) => {
      const { out, client } = contextOf(command);
      const { format, name = '' } = options;
      if (format !== 'yaml' && format !== 'json')
        throw badInput(`--format must be yaml or json, not '${format}'.`);
      const unknown = options.kind?.find((each) => !kinds.some((kind) => kind.name === each));
      if (unknown !== undefined)
        throw badInput(
          `--kind must be one of ${kinds.map((kind) => kind.name).join(', ')}, not '${unknown}'.`,
        );
      const files: string[] = [];
      const asked = kinds.filter(
        (kind) => kind !== grant && options.kind?.includes(kind.name) !== false,
      );
      const absent: Kind[] = [];
      for (const kind of asked) {
        const all = await kind.list(client(), []);
        if (all === undefined) absent.push(kind);
        for (const found of all ?? []) {
          if (!kind.idOf(found).startsWith(name)) continue;
          const required = [...kind.required, 'version'].filter(
            (field) => found[field] !== undefined && !kind.uncompared.includes(field),
          );
          files.push(writeFile(dir, kind, exported(found, kind, required), format));
        }
      }
      const lacking = tellAbsent(client(), { asked, absent });
      if (lacking !== undefined) out.note(lacking);
      out.result(files, () => files.join('\n'));
      out.note(`${files.length} files`);
    });
}
