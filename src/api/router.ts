// Finds the endpoint of a request: a tree of path segments built once from the tables. At each
// segment a literal wins over a variable (contract-core 1.1, Route order); where the literal
// branch has no endpoint with the method, the variable branch is tried, so `POST
// /workflow/running/correlated` still reaches a workflow called "running". One trailing slash is
// ignored, and so is a doubled one before or after `api`, which clients send whose configured
// address ends in a slash. HEAD is answered as GET, where that only reads; the servers leave the
// body out.
import { hasEffects } from './changing-gets.js';
import type { Endpoint, Method } from './endpoint.js';
import type { Declared } from './route.js';

export type Match =
  | {
      readonly kind: 'found';
      readonly endpoint: Endpoint;
      readonly declared: Declared;
      /** Raw segments of the path variables. */
      readonly values: readonly string[];
    }
  | { readonly kind: 'wrong-method'; readonly allowed: readonly Method[] }
  | { readonly kind: 'unknown' };

interface Leaf {
  readonly endpoint: Endpoint;
  readonly declared: Declared;
}

class Node {
  readonly literals: Map<string, Node> = new Map();
  variable: Node | undefined;
  leaves: Map<string, Leaf> | undefined;
}

export class Router {
  readonly #root = new Node();
  /** Endpoints without variables, by method and path. */
  readonly #fixed: Map<string, Map<string, Match>> = new Map();

  /** Throws when two endpoints have the same method and shape, or the same name. */
  constructor(endpoints: readonly Endpoint[]) {
    const names = new Set<string>();
    for (const endpoint of endpoints) {
      if (names.has(endpoint.name)) throw new Error(`Two endpoints are called ${endpoint.name}`);
      names.add(endpoint.name);
      this.#add(endpoint);
    }
  }

  /** `path` as sent, not decoded; the values found are not decoded either. */
  find(method: string, path: string): Match {
    const fixed = this.#fixed.get(method)?.get(path);
    if (fixed !== undefined) return fixed;
    const segments = split(doubledSlash.test(path) ? path.replace(doubledSlash, '/api/') : path);
    if (segments === undefined) return unknown;
    const search: Search = { method, segments, values: [], allowed: undefined };
    const leaf = descend(this.#root, 0, search);
    if (leaf !== undefined) {
      const { endpoint, declared } = leaf;
      return { kind: 'found', endpoint, declared, values: search.values };
    }
    if (search.allowed === undefined) return unknown;
    if (method === 'HEAD') {
      const asGet = this.find('GET', path);
      return asGet.kind === 'found' && hasEffects(asGet.endpoint) ? onlyGet : asGet;
    }
    return { kind: 'wrong-method', allowed: [...search.allowed].sort() as Method[] };
  }

  #add(endpoint: Endpoint): void {
    const { method, pattern } = endpoint;
    const variables: string[] = [];
    let node = this.#root;
    for (const segment of split(pattern) ?? []) {
      if (segment.startsWith(':')) {
        variables.push(segment.slice(1));
        node = node.variable ??= new Node();
      } else {
        let next = node.literals.get(segment);
        if (next === undefined) node.literals.set(segment, (next = new Node()));
        node = next;
      }
    }
    node.leaves ??= new Map();
    if (node.leaves.has(method)) throw new Error(`Two endpoints for ${method} ${pattern}`);
    const declared = declaredBy(endpoint, variables);
    node.leaves.set(method, { endpoint, declared });
    if (variables.length === 0) {
      let paths = this.#fixed.get(method);
      if (paths === undefined) this.#fixed.set(method, (paths = new Map()));
      paths.set(pattern, { kind: 'found', endpoint, declared, values: [] });
    }
  }
}

function declaredBy(endpoint: Endpoint, variables: readonly string[]): Declared {
  const parameters = Object.entries(endpoint.parameters);
  const placed = (place: 'query' | 'header'): typeof parameters =>
    parameters.filter(([, parameter]) => parameter.in === place);
  return {
    variables,
    queries: new Map(placed('query').map(([name, { schema }]) => [name, schema.default])),
    headers: new Set(placed('header').map(([name]) => name.toLowerCase())),
    allHeaders: endpoint.allHeaders === true,
    allQueries: endpoint.allQueries === true,
  };
}

const unknown: Match = { kind: 'unknown' };
const onlyGet: Match = { kind: 'wrong-method', allowed: ['GET'] };

interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  /** Segments taken by variables on the way so far. */
  readonly values: string[];
  /** Methods of endpoints that fit but for the method. */
  allowed: Set<string> | undefined;
}

function descend(node: Node, depth: number, search: Search): Leaf | undefined {
  if (depth === search.segments.length) {
    const leaf = node.leaves?.get(search.method);
    if (leaf === undefined && node.leaves !== undefined) {
      search.allowed ??= new Set();
      for (const method of node.leaves.keys()) search.allowed.add(method);
    }
    return leaf;
  }
  const segment = search.segments[depth] as string;
  const literal = node.literals.get(segment);
  if (literal !== undefined) {
    const leaf = descend(literal, depth + 1, search);
    if (leaf !== undefined) return leaf;
  }
  if (node.variable === undefined || segment === '') return undefined;
  search.values.push(segment);
  const leaf = descend(node.variable, depth + 1, search);
  if (leaf === undefined) search.values.pop();
  return leaf;
}

const doubledSlash = /^(?:\/\/+api\/+|\/api\/\/+)/;

/** More segments than any endpoint has. */
const segmentsMax = 12;

/**
 * Segments without the leading and one trailing slash; undefined when the path has too many or is
 * not absolute.
 */
function split(path: string): string[] | undefined {
  if (path.charCodeAt(0) !== 0x2f) return undefined;
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const segments = path.slice(1, end).split('/', segmentsMax + 1);
  return segments.length > segmentsMax ? undefined : segments;
}
