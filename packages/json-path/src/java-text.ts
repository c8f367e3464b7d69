// Values as Java writes them into a text: the dialect comes from there.
import type { Json } from './path.js';

/** Levels of maps and lists written in Java notation; deeper ones become `...`. */
const javaDepthMax = 512;

/** The text that Java's String.valueOf gives: `null`, `1.0E10`, `{a=1, b=x}`, `[1, 2]`. */
export function toJavaText(value: Json, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return toJavaNumber(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (depth >= javaDepthMax) return '...';
  if (Array.isArray(value)) {
    return `[${value.map((item) => toJavaText(item, depth + 1)).join(', ')}]`;
  }
  const entries = Object.entries(value).map(([k, v]) => `${k}=${toJavaText(v, depth + 1)}`);
  return `{${entries.join(', ')}}`;
}

/** Integers in decimal, all else as Java writes a double: `1.5`, `1.0E20`, `1.234E-5`. */
function toJavaNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}
