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

/** Methods that enter one more listener: several parts hear, or the contract has no other way. */
const subscriptions: Readonly<Record<string, string>> = {
  'src/api/node-server.ts onAbort': 'of one exchange: the client has gone',
  'src/api/streamed-body.ts onClose': 'of one exchange: its stream has ended',
  'src/api/uws-server.ts onAbort': 'of one exchange: the client has gone',
  'src/areas/events/store/redis-event-queue-store.ts onPublished': 'a queue that handlers read',
  'src/areas/identity/identity-tables.ts onChange':
    'users, groups, roles and grants as they change',
  'src/operation/records/record-table.ts onChange': 'records as any node changes them',
  'src/operation/tags/tags.ts describe': 'two areas say how lists by tag show what is theirs',
  'src/placement/leadership.ts onChange': 'this node begins to lead, and ends',
  'src/placement/peer/peer-links.ts handle': 'calls of other nodes, by operation',
  'src/placement/peer/peer-links.ts onUp': 'a link to another node stands',
  'src/placement/peer/peer-links.ts onDown': 'a link to another node is lost',
  'src/placement/topic-notices.ts want': 'streams that are open now',
  'src/queue/queue-writer.ts drop': 'a condition for one write, not a listener',
  'src/redis/client.ts onState': 'the store is lost, and is back',
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

it('are not passed by: who may be listened to is named', { timeout: 60_000 }, () => {
  const found = readModules('src').flatMap(({ path, text }) => subscriptionsIn(path, text));
  expect(found).toEqual(Object.keys(subscriptions));
});

it('a method that enters a listener is found', () => {
  const found = (method: string): string[] => subscriptionsIn('a.ts', `class A { ${method} }`);
  expect(found('on(hear: () => void): void { this.#all.push(hear); }')).toEqual(['a.ts on']);
  expect(found('on(hear: () => void): void { (this.#all ??= []).push(hear); }')).toEqual([
    'a.ts on',
  ]);
  expect(found('want(hear: Listener): void { this.#all.add(hear); }')).toEqual(['a.ts want']);
  expect(found('add(id: string): void { this.#all.add(id); }')).toEqual([]);
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
  return publicMethodsIn(path, text, (method) => assigns(method, partsGivenTo(method)));
}

/** Also a collection that is made when the first one comes. */
const entering = /^\(?this\.#?\w+(?: \?\?= .*\))?\.(?:push|add|set)$/;

/** Public methods that enter a function that they are given into a collection of their object. */
function subscriptionsIn(path: string, text: string): string[] {
  return publicMethodsIn(path, text, (method) => enters(method, functionsGivenTo(method)));
}

type Method = ts.MethodDeclaration | ts.SetAccessorDeclaration;

function publicMethodsIn(path: string, text: string, fits: (method: Method) => boolean): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if ((ts.isMethodDeclaration(node) || ts.isSetAccessor(node)) && !isPrivate(node)) {
      if (fits(node)) found.add(`${path} ${node.name.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function isPrivate({ name }: Method): boolean {
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

/** Names of the parameters that are functions, by their type. */
function functionsGivenTo({ parameters }: ts.SignatureDeclaration): ReadonlySet<string> {
  const isFunction = /=>|(?:Listener|Handler)\b/;
  const given = parameters.filter(({ type }) => isFunction.test(type?.getText() ?? ''));
  return new Set(given.map(({ name }) => name.getText()));
}

function enters(method: ts.Node, names: ReadonlySet<string>): boolean {
  let isFound = false;
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      entering.test(node.expression.getText()) &&
      node.arguments.some((each) => ts.isIdentifier(each) && names.has(each.text))
    ) {
      isFound = true;
    }
    ts.forEachChild(node, visit);
  };
  if (names.size > 0) visit(method);
  return isFound;
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
