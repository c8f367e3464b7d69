// Parts are given what they need when they are built. Where two need each other, the one that is
// built first has a port (src/std/port.ts); each is named here with its reason.
import ts from 'typescript';
import { expect, it } from 'vitest';
import { readModules } from './source-tree.js';

const ports: Readonly<Record<string, string>> = {
  'src/queue/poll-hub.ts': 'owners of attempts offer them to the queues, which ask the owners',
  'src/shard/execution-host.ts': 'executions start work that gives commands to executions',
};

/** Methods that keep an argument, by file, which bind no part late. */
const keepers: Readonly<Record<string, string>> = {
  'src/api/node-server.ts onEnd': 'of one exchange: its request tells when it ends',
  'src/api/uws-server.ts onEnd': 'of one exchange: its request tells when it ends',
  'src/areas/schedules/schedule-plan.ts replace': 'a newer version of the schedule',
  'src/operation/park-poll.ts end': 'why the poll ends',
  'src/sandbox/worker-pool.ts run': 'the script that runs',
  'src/shard/pending-commit.ts add': 'the changes of one commit',
  'src/std/port.ts connect': 'the port itself',
  'src/system-task/outbound-client.ts onRequestStart': 'the contract of the HTTP library',
};

it('are two, each with its reason', () => {
  const making = readModules('src')
    .filter(({ text }) => /new Port</.test(text))
    .map(({ path }) => path);
  expect(making).toEqual(Object.keys(ports));
});

it('are the only way to bind a part after it is built', { timeout: 60_000 }, () => {
  const keeping = readModules('src').flatMap(({ path, text }) => keepersIn(path, text));
  expect(keeping).toEqual(Object.keys(keepers));
});

it('a method that keeps a function or a part for later is found', () => {
  const found = (method: string): string[] => keepersIn('a.ts', `class A { ${method} }`);
  expect(found('onLoss(tell: () => void): void { this.#tell = tell; }')).toEqual(['a.ts onLoss']);
  expect(found('connect({ hub }: Parts): void { this.hub = hub; }')).toEqual(['a.ts connect']);
  expect(found('resize(bytes: number): void { this.#bytes = bytes; }')).toEqual([]);
});

/** Public methods that assign a parameter, other than a plain value, to a field of their object. */
function keepersIn(path: string, text: string): string[] {
  if (!/this\.#?\w+ = \w+;/.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if ((ts.isMethodDeclaration(node) || ts.isSetAccessor(node)) && !isPrivate(node)) {
      const parts = partsGivenTo(node);
      if (assigns(node, parts)) found.add(`${path} ${node.name.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function isPrivate({ name }: ts.MethodDeclaration | ts.SetAccessorDeclaration): boolean {
  return ts.isPrivateIdentifier(name);
}

/** Names of the parameters that are neither numbers, texts nor truths. */
function partsGivenTo({ parameters }: ts.SignatureDeclaration): ReadonlySet<string> {
  const isPlain = /^(?:number|string|boolean)(?: \| undefined)?$/;
  const names = parameters
    .filter(({ type }) => !isPlain.test(type?.getText() ?? ''))
    .flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : name.elements.map((each) => each.getText()),
    );
  return new Set(names);
}

function assigns(method: ts.Node, names: ReadonlySet<string>): boolean {
  let isFound = false;
  const visit = (node: ts.Node): void => {
    if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      ts.isPropertyAccessExpression(node.left) &&
      node.left.expression.kind === ts.SyntaxKind.ThisKeyword &&
      ts.isIdentifier(node.right) &&
      names.has(node.right.text)
    ) {
      isFound = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(method);
  return isFound;
}
