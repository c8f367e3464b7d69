// The functions of jq: those of the *-functions files and those written in jq itself below. As in
// jq 1.5 and later, without input from outside, environment, modules and SQL-style operators.
import type { Definition } from './ast.js';
import { filterFunctions } from './filter-functions.js';
import { listFunctions } from './list-functions.js';
import type { JqLibrary } from './machine.js';
import { parseJqDefinitions } from './parse.js';
import { stringFunctions } from './string-functions.js';
import { valueFunctions } from './value-functions.js';

const written = String.raw`
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse: ..;
def recurse_down: ..;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def map_values(f): .[] |= f;
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def while(cond; update): def w: if cond then ., (update | w) else empty end; w;
def repeat(f): def r: f | (., r); r;
def range($x): range(0; $x);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def add(f): reduce f as $x (null; . + $x);
def first: .[0];
def last: .[-1];
def last(f): reduce f as $x (null; $x);
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; f)) end;
def skip($n; f): if $n > 0 then foreach f as $item ($n; . - 1; if . < 0 then $item else empty end) else f end;
def combinations:
  if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def env: {};
def ascii: [.] | implode;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def input: error("No more inputs");
def inputs: empty;
def input_line_number: 0;
def input_filename: null;
def debug: .;
def debug(msg): .;
def stderr: .;
def have_decnum: false;
def have_literal_numbers: true;
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def truncate_stream(stream):
  . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def fromstream(f): { x: null, e: false } as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
`;

let writtenDefinitions: ReadonlyMap<string, Definition> | undefined;

/**
 * Parses the definitions that are written in jq for the first program: a start has no time for
 * those 25 ms.
 */
export const jqLibrary: JqLibrary = {
  natives: new Map(
    [valueFunctions, listFunctions, stringFunctions, filterFunctions].flatMap((table) => [
      ...table.entries,
    ]),
  ),
  get definitions() {
    return (writtenDefinitions ??= new Map(
      parseJqDefinitions(written).map((each) => [`${each.name}/${each.params.length}`, each]),
    ));
  },
};
