// Where in a JSON text stands what the server has an error for. The server names a member by its
// path, such as `validateWorkflowDef.arg0.tasks[1].name`; its first two parts name the request.
import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import type { ValidationError } from '../api/client';
import { pathParts } from './problems';

export interface MarkedPlace extends ValidationError {
  /** Absent: an error. */
  readonly severity?: 'error' | 'warning';
}

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

export function diagnosticsOf(
  state: EditorState,
  problems: readonly MarkedPlace[],
): readonly Diagnostic[] {
  const root = syntaxTree(state).topNode.firstChild;
  if (root === null) return [];
  return problems.map(({ path, message, severity = 'error' }) => {
    const { from } = nodeAt(state, root, pathParts(path));
    const line = state.doc.lineAt(from);
    return { from, to: Math.max(from, line.to), severity, message };
  });
}

/** Where the value at a path begins. */
export function positionAt(state: EditorState, path: string): number {
  const root = syntaxTree(state).topNode.firstChild;
  return root === null ? 0 : nodeAt(state, root, pathParts(path)).from;
}

/** The node at a path, or the innermost one around it. */
function nodeAt(state: EditorState, root: SyntaxNode, parts: readonly string[]): SyntaxNode {
  let node = root;
  for (const part of parts) {
    const next = node.name === 'Array' ? itemOf(node, Number(part)) : memberOf(state, node, part);
    if (next === null) return node;
    node = next;
  }
  return node;
}

function itemOf(list: SyntaxNode, index: number): SyntaxNode | null {
  return valuesOf(list).at(index) ?? null;
}

function memberOf(state: EditorState, object: SyntaxNode, name: string): SyntaxNode | null {
  const property = object.getChildren('Property').find((each) => {
    const key = each.getChild('PropertyName');
    return key !== null && state.sliceDoc(key.from, key.to) === JSON.stringify(name);
  });
  return property === undefined ? null : (valuesOf(property).at(-1) ?? property);
}

function valuesOf(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (/^(?:Object|Array|String|Number|True|False|Null)$/.test(child.name)) found.push(child);
  }
  return found;
}
