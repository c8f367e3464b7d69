// Which names the statements of a script declare, and where.
import type * as Acorn from 'acorn';
import { giveUp } from './run-state.js';
import type { Scope } from './scope.js';

/** Declares the `var` names of a statement, however deep, in the scope of the function. */
export function declareVars(node: Acorn.AnyNode, scope: Scope): void {
  switch (node.type) {
    case 'VariableDeclaration':
      if (node.kind !== 'var') return;
      for (const each of node.declarations) scope.declare(simpleName(each.id), 'var');
      return;
    case 'BlockStatement':
      for (const each of node.body) declareVars(each, scope);
      return;
    case 'IfStatement':
      declareVars(node.consequent, scope);
      if (node.alternate) declareVars(node.alternate, scope);
      return;
    case 'ForStatement':
      if (node.init?.type === 'VariableDeclaration') declareVars(node.init, scope);
      declareVars(node.body, scope);
      return;
    case 'ForOfStatement':
    case 'ForInStatement':
      if (node.left.type === 'VariableDeclaration') declareVars(node.left, scope);
      declareVars(node.body, scope);
      return;
    case 'WhileStatement':
    case 'DoWhileStatement':
      declareVars(node.body, scope);
      return;
    case 'SwitchStatement':
      for (const each of node.cases) for (const inner of each.consequent) declareVars(inner, scope);
      return;
    case 'TryStatement':
      declareVars(node.block, scope);
      if (node.handler) declareVars(node.handler.body, scope);
      if (node.finalizer) declareVars(node.finalizer, scope);
      return;
    default:
      return;
  }
}

export function declareLexical(statements: readonly Acorn.AnyNode[], scope: Scope): void {
  for (const statement of statements) {
    if (statement.type !== 'VariableDeclaration' || statement.kind === 'var') continue;
    const kind = statement.kind === 'const' ? 'const' : statement.kind === 'let' ? 'let' : giveUp();
    for (const each of statement.declarations) scope.declare(simpleName(each.id), kind);
  }
}

export function simpleName(pattern: Acorn.Pattern): string {
  return pattern.type === 'Identifier' ? pattern.name : giveUp();
}
