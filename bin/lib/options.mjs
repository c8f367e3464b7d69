// The options of a programme of this repository. `--help` prints its usage and ends it with 0; an
// option that it does not have, or a value that it cannot use, ends it with 2 and one sentence.
// Plain JavaScript with its types in options.d.mts, because programmes use it before anything is
// built.
import { parseArgs } from 'node:util';

/** The values of a programme's options; ends the process where options.d.mts says so. */
export function readOptions(program, args = process.argv.slice(2)) {
  try {
    const values = parse(program, args);
    if (!values.help) return values;
    console.log(usageOf(program));
    process.exit(0);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

export class OptionError extends Error {}

export function parse({ options, positional }, args) {
  const given = valuesOf(options, positional !== undefined, args);
  const values = { help: given.values.help === true, arguments: given.positionals };
  for (const [name, option] of Object.entries(options)) {
    const text = given.values[name];
    values[name] = text === undefined ? option.default : checked(name, option, text);
    if (option.type === 'boolean') values[name] ??= false;
  }
  return values;
}

function valuesOf(options, allowPositionals, args) {
  const declared = Object.fromEntries(
    Object.entries(options).map(([name, { type }]) => [
      name,
      { type: type === 'boolean' ? 'boolean' : 'string' },
    ]),
  );
  try {
    return parseArgs({
      args: [...args],
      allowPositionals,
      options: { ...declared, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new OptionError(sentenceOf(error));
  }
}

/** What was wrong with an argument, by the code of parseArgs. */
function sentenceOf({ code, message }) {
  const name = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
      return `There is no option ${name}: --help lists them.`;
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return `${/'[^']*'/.exec(message)?.[0] ?? 'An argument'} is not an option: options begin with --.`;
    default:
      return message.split('\n')[0].replace(/\.?$/, '.');
  }
}

function checked(name, { type, oneOf, someOf, min = 0, max }, text) {
  if (type === 'integer' || type === 'fraction') {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const most = max ?? (type === 'fraction' ? 1 : Number.MAX_SAFE_INTEGER);
    if (value >= min && value <= most && (type === 'fraction' || Number.isInteger(value))) {
      return value;
    }
    const kind = type === 'fraction' ? 'a number' : 'a whole number';
    const range = most === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${most}`;
    throw new OptionError(`--${name} must be ${kind} ${range}, not '${text}'.`);
  }
  if (oneOf !== undefined && !oneOf.includes(text)) {
    throw new OptionError(`--${name} must be one of ${oneOf.join(', ')}, not '${text}'.`);
  }
  const unknown =
    someOf === undefined ? [] : text.split(',').filter((each) => !someOf.includes(each));
  if (unknown.length > 0) {
    throw new OptionError(
      `--${name} must name some of ${someOf.join(', ')}, with commas between them, not '${unknown.join(',')}'.`,
    );
  }
  return text;
}

/** What the programme is for, how it is called, and one line for each option. */
export function usageOf({ command, about, options, positional }) {
  const rows = Object.entries(options).map(([name, option]) => [
    `--${name}${valueOf(option)}`,
    `${option.about}${defaultOf(option)}`,
  ]);
  rows.push(['--help', 'prints this']);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  const call = [command, '[options]', ...(positional === undefined ? [] : [positional])].join(' ');
  return [about, '', `usage: ${call}`, '', ...lines].join('\n');
}

function valueOf({ type, oneOf, someOf }) {
  if (type === 'boolean') return '';
  if (oneOf !== undefined) return ` ${oneOf.join('|')}`;
  if (someOf !== undefined) return ` ${someOf.join(',')}`;
  return type === 'string' ? ' TEXT' : ' N';
}

function defaultOf({ default: value }) {
  return value === undefined || value === '' ? '' : ` (default ${value})`;
}
