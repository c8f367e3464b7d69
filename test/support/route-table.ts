// Reads docs/routes.md, the table of every route.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../testkit/project.js';

export interface RouteRow {
  readonly method: string;
  /** With variables as `{name}`. */
  readonly path: string;
  /** Sections of the contract that name the route, or `own`. */
  readonly contract: string;
  /** Name of the endpoint; undefined: not served. */
  readonly endpoint: string | undefined;
  /** Status of a call that names nothing that exists. */
  readonly emptyCall: number;
  /** What was decided where the contract leaves a choice. */
  readonly decided: string;
}

const row =
  /^\| (?<method>[A-Z]+) \| (?<path>\/\S*) \| (?<contract>[^|]+) \| (?<endpoint>[^|]+) \| (?<status>\d+) \| (?<decided>.*)\|$/;

export function readRouteTable(): RouteRow[] {
  const page = readFileSync(path.join(projectRoot, 'docs', 'routes.md'), 'utf8');
  return page
    .split('\n')
    .filter((line) => /^\| (?:GET|POST|PUT|DELETE|PATCH) /.test(line))
    .map((line) => {
      const cells = row.exec(line)?.groups;
      if (cells === undefined) throw new Error(`docs/routes.md: a row that is none: ${line}`);
      const name = /^`(\w+)`$/.exec(cells['endpoint'] as string)?.[1];
      return {
        method: cells['method'] as string,
        path: cells['path'] as string,
        contract: cells['contract'] as string,
        endpoint: name,
        emptyCall: Number(cells['status']),
        decided: (cells['decided'] as string).trim(),
      };
    });
}
