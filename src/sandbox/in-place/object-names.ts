// Names every object of the language has without owning them.

const names: ReadonlySet<string> = new Set([
  'constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString', 'toString', 'valueOf',
  '__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__',
]); // prettier-ignore

export function isObjectName(name: string): boolean {
  return names.has(name);
}
