// Functions of jq on values of any type and on numbers.
import { type Json, type ParseJson, isMap, toText } from './json.js';
import { fail, flat, NativeTable, numberOf, stringOf, searching } from './natives.js';
import { formats, textOf } from './formats.js';
import { lost } from './scope.js';
import { textCost } from './weights.js';
import { compare, isNumber, isTrue, JqError, shown, typeOf } from './values.js';

export const valueFunctions = new NativeTable();

valueFunctions.define('not/0', (value) => !isTrue(value), flat);
valueFunctions.define('type/0', (value) => typeOf(value), flat);
valueFunctions.define('tostring/0', (value) => textOf(value));
valueFunctions.define('tojson/0', (value) => toText(value));
valueFunctions.define('toarray/0', (value) => (Array.isArray(value) ? value : [value]), flat);
valueFunctions.define(
  'length/0',
  (value) => {
    if (value === null) return 0;
    if (typeof value === 'string') return Array.from(value).length;
    if (Array.isArray(value)) return value.length;
    if (isMap(value)) return Object.keys(value).length;
    if (isNumber(value)) return typeof value === 'bigint' && value < 0n ? -value : absolute(value);
    return fail(value, 'has no length');
  },
  flat,
);
valueFunctions.define(
  'tonumber/0',
  (value) => {
    if (isNumber(value)) return value;
    const text = stringOf(value, 'cannot be parsed as a number').trim();
    if (!/^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
      return fail(value, 'cannot be parsed as a number');
    }
    const number = Number(text);
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
  },
  flat,
);
valueFunctions.set('fromjson/0', (machine, { place }, emit) => {
  const text = stringOf(place.value, 'cannot be parsed as JSON');
  machine.spend(textCost(text.length));
  emit(readJson(text, machine.parseJson), lost(place));
});
valueFunctions.define('contains/1', (value, part) => containsPart(value, part), searching);
valueFunctions.define(
  'has/1',
  (value, key) => {
    if (isMap(value) && typeof key === 'string') return Object.hasOwn(value, key);
    if (Array.isArray(value) && isNumber(key))
      return Number(key) >= 0 && Number(key) < value.length;
    throw new JqError(
      `Cannot check whether ${typeOf(value)} has a ${typeof key === 'string' ? 'string' : typeOf(key)} key`,
    );
  },
  flat,
);
valueFunctions.define(
  'error/0',
  (value) => {
    throw new JqError(value);
  },
  flat,
);
valueFunctions.define(
  'error/1',
  (_value, message) => {
    throw new JqError(message);
  },
  flat,
);
valueFunctions.define(
  'halt_error/0',
  (value) => {
    throw new JqError(value);
  },
  flat,
);
for (const [name, format] of formats)
  valueFunctions.define(`format ${name}/0`, (value) => format(value));
valueFunctions.define('format/1', (value, name) => {
  const format = formats.get(`@${textOf(name)}`);
  if (format === undefined) throw new JqError(`${textOf(name)} is not a valid format`);
  return format(value);
});

function readJson(text: string, parseJson: ParseJson): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return fail(text, 'cannot be parsed as JSON');
    throw error;
  }
}

function absolute(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  return Math.abs(value);
}

function containsPart(value: Json, part: Json): boolean {
  if (isMap(value) && isMap(part)) {
    return Object.entries(part).every(
      ([key, item]) => Object.hasOwn(value, key) && containsPart(value[key] as Json, item),
    );
  }
  if (Array.isArray(value) && Array.isArray(part)) {
    return part.every((item) =>
      value.some((own) => sameType(own, item) && containsPart(own, item)),
    );
  }
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part);
  if (sameType(value, part)) return compare(value, part) === 0;
  throw new JqError(
    `${typeOf(value)} (${shown(value)}) and ${typeOf(part)} (${shown(part)}) cannot have their containment checked`,
  );
}

function sameType(a: Json, b: Json): boolean {
  return typeOf(a) === typeOf(b);
}

const plainMath: { [name: string]: (value: number) => number } = {
  floor: Math.floor,
  ceil: Math.ceil,
  sqrt: Math.sqrt,
  fabs: Math.abs,
  trunc: Math.trunc,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  cbrt: Math.cbrt,
  expm1: Math.expm1,
  log1p: Math.log1p,
};
for (const [name, apply] of Object.entries(plainMath)) {
  valueFunctions.define(`${name}/0`, (value) => apply(numberOf(value)) + 0);
}
valueFunctions.define('round/0', (value) => {
  const number = numberOf(value);
  return Math.sign(number) * Math.round(Math.abs(number)) + 0;
});
valueFunctions.define('abs/0', (value) =>
  isNumber(value) ? absolute(value) : fail(value, 'has no absolute value'),
);
valueFunctions.define('pow/2', (_value, base, exponent) => numberOf(base) ** numberOf(exponent));
valueFunctions.define('atan2/2', (_value, y, x) => Math.atan2(numberOf(y), numberOf(x)));
valueFunctions.define('fmin/2', (_value, a, b) => Math.min(numberOf(a), numberOf(b)));
valueFunctions.define('fmax/2', (_value, a, b) => Math.max(numberOf(a), numberOf(b)));
valueFunctions.define('fmod/2', (_value, a, b) => numberOf(a) % numberOf(b));
valueFunctions.define('infinite/0', () => Number.POSITIVE_INFINITY);
valueFunctions.define('nan/0', () => Number.NaN);
valueFunctions.define(
  'isinfinite/0',
  (value) => Math.abs(numberOf(value)) === Number.POSITIVE_INFINITY,
);
valueFunctions.define('isnan/0', (value) => Number.isNaN(numberOf(value)));
valueFunctions.define(
  'isnormal/0',
  (value) => Number.isFinite(numberOf(value)) && numberOf(value) !== 0,
);
