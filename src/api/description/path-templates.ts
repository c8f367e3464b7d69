// Path templates of the API description. Endpoints of one shape share one template there, whatever
// they call their variables: `GET /api/workflow/:workflowId` and `POST /api/workflow/:name` become
// `/api/workflow/{nameOrWorkflowId}`.
import type { Endpoint } from '../endpoint.js';

export interface PathTemplate {
  /** `/api/workflow/{workflowId}/why`. */
  readonly text: string;
  /** Names of its variables in order. */
  readonly variables: readonly string[];
}

export class PathTemplates {
  /** By shape, and there by position: the names that endpoints use. */
  readonly #names = new Map<string, Set<string>[]>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const { pattern } of endpoints) {
      const shape = shapeOf(pattern);
      const variables = variablesOf(pattern);
      const known = this.#names.get(shape) ?? variables.map(() => new Set<string>());
      this.#names.set(shape, known);
      for (const [i, name] of variables.entries()) known[i]?.add(name);
    }
  }

  of(pattern: string): PathTemplate {
    const names = this.#names.get(shapeOf(pattern)) ?? [];
    const variables = names.map((used) => [...used].map(capitalised).join('Or'));
    const rest = [...variables];
    const text = pattern.replace(/:[^/]+/g, () => `{${rest.shift() ?? ''}}`);
    return { text, variables };
  }
}

/** Names of the variables of a pattern in order. */
export function variablesOf(pattern: string): string[] {
  return [...pattern.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);
}

function shapeOf(pattern: string): string {
  return pattern.replace(/:[^/]+/g, ':');
}

/** All but the first name of several begin with a capital. */
function capitalised(name: string, index: number): string {
  return index === 0 ? name : name.charAt(0).toUpperCase() + name.slice(1);
}
