// Finds the routes that a page of the contract names: table rows (`| GET | /path |`, or
// `| GET /path |`) and sentences (`PUT, GET and DELETE /path`). A path is completed with the base
// path that the heading of its section states; a path without `/api` in a section without a base
// is no route.

export interface RouteMention {
  /** `GET /api/prompts/{}`: variables have no name, for pages differ in them. */
  readonly route: string;
  /** Number of the section, such as `7.2`. */
  readonly section: string;
}

const verb = '(?:GET|POST|PUT|DELETE)';
const verbs = `${verb}(?:(?:, | and |, and )${verb})*`;
const mention = new RegExp(
  String.raw`\b(${verbs})(?: \(\*\*and PUT\*\*\))?(?: \| | )(\(base\)|/[^\s|,;?)"]*)`,
  'g',
);
const heading = /^(#{2,4}) (\d+(?:\.\d+)*)\.? .*$/;
const isOfServer = /^\/(?:api\/|health|webhook\/|context\.js)/;

export function routeMentions(page: string): RouteMention[] {
  const found: RouteMention[] = [];
  let section = '';
  let outerBase = '';
  let base = '';
  for (const line of page.split('\n')) {
    const [, marks, number] = heading.exec(line) ?? [];
    if (marks !== undefined && number !== undefined) {
      const own = /\(base `?(\/api[\w/-]*)/.exec(line)?.[1];
      section = number;
      base = own ?? (marks === '##' ? '' : outerBase);
      if (marks === '##') outerBase = base;
    }
    found.push(...mentionsIn(line, base).map((route) => ({ route, section })));
  }
  return found;
}

function mentionsIn(line: string, base: string): string[] {
  const flat = line.replaceAll('`', '');
  return [...flat.matchAll(mention)].flatMap(([, methods = '', path = '']) => {
    const full = fullPath(path, base);
    if (!isOfServer.test(full)) return [];
    return methods.split(/, and |, | and /).map((method) => routeOf(method, full));
  });
}

function fullPath(path: string, base: string): string {
  if (path === '(base)' || path === '/') return base;
  return isOfServer.test(path) ? path : base === '' ? path : base + path;
}

/** The route of a method and a path whose variables are written `{name}` or `:name`. */
export function routeOf(method: string, path: string): string {
  const shape = path.replace(/\{[^}]*\}|:\w+/g, '{}').replace(/[.:/]+$/, '');
  return `${method} ${shape}`;
}
