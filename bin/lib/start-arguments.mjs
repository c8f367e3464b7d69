// What `npm start` refuses before it installs or builds anything, which takes minutes on a fresh
// clone: arguments and variables that no setting has, and text where a number must stand. The names are read from
// the tables in src/settings and src/areas as text, since nothing is compiled yet; a test compares
// them with the tables. The server checks everything else when it starts (src/server/config.ts).
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

const entry = /^ {2}(?:'([\w.-]+)'|(\w+)): (integer|text|flag|list)\(/gm;
const moved = /^ {2}(\w+): 'plugin\./gm;

/** The kind of each setting by its name; texts those that a plug-in checks now. */
export function settingKinds(root = projectRoot) {
  const kinds = new Map();
  for (const file of tablesIn(path.join(root, 'src'))) {
    const text = fs.readFileSync(file, 'utf8');
    for (const [, quoted, plain, kind] of text.matchAll(entry)) kinds.set(quoted ?? plain, kind);
    for (const [, earlier] of text.matchAll(moved)) kinds.set(earlier, 'text');
  }
  return kinds;
}

/** The files with settings: those of the server, and one of each area. */
function tablesIn(source) {
  const settings = path.join(source, 'settings');
  const areas = path.join(source, 'areas');
  return [
    ...fs.readdirSync(settings).map((name) => path.join(settings, name)),
    ...fs.readdirSync(areas).map((name) => path.join(areas, name, 'settings.ts')),
  ].filter((file) => fs.existsSync(file));
}

/**
 * A sentence about the first argument that cannot be used; undefined: nothing is seen from here.
 * `help`: what one types to see the settings.
 */
export function whyRefused(args, kinds, help) {
  const flags = new Map([...kinds].map(([name, kind]) => [flagOf(name), kind]));
  flags.set('config', 'text');
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (!arg.startsWith('--')) return `'${arg}' is not a setting: settings begin with --.`;
    const [name, ...rest] = arg.slice(2).split('=');
    // Plug-ins check their own settings (docs/plugins.md).
    const kind = name.startsWith('plugin.') ? 'text' : flags.get(name);
    if (kind === undefined) {
      const meant = [...flags.keys()].find((flag) => isOneSlipAway(name, flag));
      const hint = meant === undefined ? '' : ` Did you mean --${meant}?`;
      return `There is no setting --${name}: ${help} lists them.${hint}`;
    }
    const hasNext = args[i + 1] !== undefined && !args[i + 1].startsWith('--');
    const value = rest.length > 0 ? rest.join('=') : hasNext ? args[++i] : 'true';
    if (kind === 'integer' && !/^\s*-?\d+\s*$/.test(value)) {
      return `--${name} must be a whole number, not '${value}'.`;
    }
  }
  return undefined;
}

/** What a programme beside the server takes besides settings: names of options, with their kind. */
const ownOptions = {
  start: { open: 'flag', demo: 'flag' },
  'test-server': { clock: 'text', seed: 'integer' },
  fsck: { repair: 'flag', json: 'flag', prefix: 'text' },
  admin: {},
};

/**
 * The name of the command on the line of `downbeat`, which options of all commands may precede, and
 * the words after it.
 */
export function splitLine(words) {
  let at = 0;
  while (words[at]?.startsWith('-')) at += ['--server', '--profile'].includes(words[at]) ? 2 : 1;
  return { name: words[at], args: words.slice(at + 1) };
}

/**
 * Ends this process with 2 where the arguments of `downbeat NAME` in a clone cannot be used, before
 * anything is installed or built for it. Questions and other commands are let through.
 */
export function refuseEarly(name, args, env = process.env) {
  const own = ownOptions[name];
  if (own === undefined || args.some((arg) => ['--help', '-h', '--version'].includes(arg))) return;
  const kinds = settingKinds();
  const flags = new Map([...kinds, ...Object.entries(own)]);
  // The words of `admin` stand before its settings, those of the others are settings.
  const isSetting = (arg, i) => name !== 'admin' || args.slice(0, i + 1).some(isFlag);
  const refusal =
    whyRefused(args.filter(isSetting), flags, `downbeat ${name} --help`) ??
    whyVariableRefused(env, kinds);
  if (refusal === undefined) return;
  console.error(refusal);
  process.exit(2);
}

/**
 * A sentence about a variable of the environment that is a setting's name with one slip in it;
 * undefined: nothing is seen from here. The server refuses every other unknown name.
 */
export function whyVariableRefused(env, kinds) {
  const known = new Set([...kinds.keys()].map(variableOf));
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('DOWNBEAT_') || value === '' || known.has(name)) continue;
    const meant = [...known].find((variable) => isOneSlipAway(name, variable));
    if (meant !== undefined) {
      return `There is no setting ${name} (in the environment). Did you mean ${meant}?`;
    }
  }
  return undefined;
}

function variableOf(name) {
  return `DOWNBEAT_${flagOf(name).replace(/[-.]/g, '_').toUpperCase()}`;
}

function isFlag(arg) {
  return arg.startsWith('--');
}

/** `dataDir` becomes `data-dir`; dotted names stay. */
function flagOf(name) {
  if (name.includes('.')) return name;
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** One letter added, left out, replaced, or swapped with the next one. */
function isOneSlipAway(name, flag) {
  let at = 0;
  while (at < name.length && name[at] === flag[at]) at++;
  const [typed, meant] = [name.slice(at), flag.slice(at)];
  const isSwap = typed[0] === meant[1] && typed[1] === meant[0];
  return (
    typed.slice(1) === meant ||
    typed === meant.slice(1) ||
    typed.slice(1) === meant.slice(1) ||
    (isSwap && typed.slice(2) === meant.slice(2))
  );
}
