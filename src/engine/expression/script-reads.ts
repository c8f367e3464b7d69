// Which members of `$` a script reads, told from its text, so that nothing else need be parsed and
// handed to the sandbox. When in doubt the answer is that it cannot be told.
import type { MemberExpression, Node, Program } from 'acorn';
import { childNodes, parseScript } from './script-syntax.js';

/** Names through which a script could reach `$` without spelling it. */
const evasive: ReadonlySet<string> = new Set([
  'eval', 'Function', 'globalThis', 'constructor', 'arguments', 'require',
]); // prettier-ignore

/**
 * Members of `$` that `source` may read: `name` for a whole top-level member, `name.inner` where
 * only that member of it is read (never together with its `name`; only sound for maps, so a list
 * must be given whole). Sorted. Undefined when `$` is used in another way (passed on, shadowed,
 * computed member) and for a source that does not parse.
 */
export function scriptReads(source: string): string[] | undefined {
  const script = parseScript(source);
  return script.kind === 'program' ? readsOf(script.program) : undefined;
}

const knownReads = new WeakMap<Program, { reads: string[] | undefined }>();

function readsOf(program: Program): string[] | undefined {
  const known = knownReads.get(program);
  if (known !== undefined) return known.reads;
  const found = new Set<string>();
  const reads = collect(program, [], found) ? withoutCovered(found) : undefined;
  knownReads.set(program, { reads });
  return reads;
}

function withoutCovered(found: ReadonlySet<string>): string[] {
  return [...found]
    .filter((read) => !found.has(read.split('.')[0] as string) || !read.includes('.'))
    .sort();
}

/** False when it cannot be told. `parents`: innermost last. */
function collect(node: Node, parents: Node[], found: Set<string>): boolean {
  if (node.type === 'ThisExpression' || node.type === 'WithStatement') return false;
  if (node.type === 'Identifier') {
    const { name } = node as Node & { name: string };
    if (evasive.has(name)) return false;
    if (name === '$' && !isMereName(node, parents.at(-1))) return addRead(node, parents, found);
    return true;
  }
  if (node.type === 'Literal' && evasive.has(String((node as Node & { value?: unknown }).value))) {
    return false;
  }
  parents.push(node);
  const told = childNodes(node).every((child) => collect(child, parents, found));
  parents.pop();
  return told;
}

/** `a.$` and `{ $: 1 }` do not speak of the variable. */
function isMereName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') {
    const member = parent as MemberExpression;
    return member.property === node && !member.computed;
  }
  if (parent?.type === 'Property') {
    const property = parent as Node & { key: Node; value: Node; computed: boolean };
    return property.key === node && property.value !== node && !property.computed;
  }
  return false;
}

function addRead(node: Node, parents: readonly Node[], found: Set<string>): boolean {
  const parent = parents.at(-1);
  const name = parent === undefined ? undefined : memberName(parent, node);
  // A name with a dot would be taken for two names.
  if (parent === undefined || name === undefined || name.includes('.')) return false;
  let outer = parents.at(-2);
  if (isCallee(outer, parent)) return false;
  if (outer?.type === 'ChainExpression') outer = parents.at(-3);
  const inner = outer === undefined ? undefined : memberName(outer, parent);
  const readsInner =
    inner !== undefined && !inner.includes('.') && !isCallee(parents.at(-3), outer as Node);
  found.add(readsInner ? `${name}.${inner}` : name);
  return true;
}

/** The member of `object` that `parent` names, when its name stands in the text. */
function memberName(parent: Node, object: Node): string | undefined {
  if (parent.type !== 'MemberExpression') return undefined;
  const member = parent as MemberExpression;
  if (member.object !== object) return undefined;
  if (!member.computed)
    return member.property.type === 'Identifier' ? member.property.name : undefined;
  if (member.property.type !== 'Literal') return undefined;
  return typeof member.property.value === 'string' ? member.property.value : undefined;
}

function isCallee(parent: Node | undefined, node: Node): boolean {
  return parent?.type === 'CallExpression' && (parent as Node & { callee: Node }).callee === node;
}
