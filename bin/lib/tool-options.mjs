// The options of a tool before anything is installed or built, so that a slip of the hand costs no
// minutes: the object that the tool's source gives to readOptions, read as text and evaluated. It
// holds nothing but literals, and names of lists of literals in a file that the tool imports. A tool
// whose options hold more is checked when it is built.
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

/** As readOptions takes it; undefined: this tool has none that can be read so. */
export function toolProgram(name, root = projectRoot) {
  const own = path.join(root, `${name}.ts`);
  const files = [own, path.join(path.dirname(own), 'arguments.ts')];
  for (const file of files.filter((each) => fs.existsSync(each))) {
    const text = fs.readFileSync(file, 'utf8');
    const [, literal] = /readOptions\((\{\n[\s\S]*?\n *\})\)/.exec(text) ?? [];
    if (literal !== undefined) return evaluated(literal, { file, text });
  }
  return undefined;
}

function evaluated(literal, source) {
  const scope = new Proxy(
    {},
    {
      has: (_, name) => !(name in globalThis),
      get: (_, name) => (typeof name === 'symbol' ? undefined : importedList(name, source)),
    },
  );
  try {
    return new Function('scope', `with (scope) { return (${literal}); }`)(scope);
  } catch {
    return undefined;
  }
}

/** A list of literals that the source imports. Throws where it imports none of the name. */
function importedList(name, { file, text }) {
  const [, from] = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']*)\\.js'`).exec(
    text,
  );
  return listIn(fs.readFileSync(path.join(path.dirname(file), `${from}.ts`), 'utf8'), name);
}

/** A list by its name in a source, with those of the same source that it holds. */
function listIn(source, name) {
  const [, list] = new RegExp(`const ${name} = \\[([^\\]]*)\\] as const`).exec(source);
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .flatMap((item) =>
      item.startsWith('...') ? listIn(source, item.slice(3)) : [new Function(`return ${item};`)()],
    );
}
