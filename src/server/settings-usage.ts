// Prints the `--help` of the server and of its commands: how they are called, and a line for each
// setting with its default, in the groups of docs/settings.md.
import { toFlag } from './config.js';
import { settingsGroups } from './settings-table.js';
import type { Setting } from '../settings/setting.js';

/** One option of a command beside the settings: how it is written, and what it does. */
export type CommandOption = readonly [option: string, about: string];

/** Whether the arguments ask for the usage. */
export function asksUsage(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

/** `call`: how the command is called; `about`: what it is for, a sentence. */
export function settingsUsage(
  call: string,
  about: string,
  options: readonly CommandOption[] = [],
): string {
  const own: CommandOption[] = [
    ...options,
    ['--config FILE', 'settings file, a JSON object'],
    ['--help', 'prints this'],
  ];
  const groups: [title: string, rows: CommandOption[]][] = [
    ['Options', own],
    ...settingsGroups.map(({ title, settings }): [string, CommandOption[]] => [
      title,
      Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [
        `--${toFlag(name)} ${valueOf(setting)}`.trimEnd(),
        `${setting.about}${defaultOf(setting)}`,
      ]),
    ]),
  ];
  const width = Math.max(...groups.flatMap(([, rows]) => rows.map(([option]) => option.length)));
  const shown = groups.map(([title, rows]) =>
    [`${title}:`, ...rows.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`)].join('\n'),
  );
  return [about, `usage: ${call}`, ...shown].join('\n\n');
}

function valueOf({ kind, oneOf }: Setting<unknown>): string {
  if (oneOf !== undefined && kind === 'text') return oneOf.join('|');
  switch (kind) {
    case 'integer':
      return 'N';
    case 'boolean':
      return '';
    case 'text':
      return 'TEXT';
    case 'list':
      return 'TEXT,TEXT';
  }
}

function defaultOf({ default: value }: Setting<unknown>): string {
  const text = String(value);
  return text === '' || value === false ? '' : ` (default ${text})`;
}
