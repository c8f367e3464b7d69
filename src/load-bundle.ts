// Loads a bundled programme of dist/bundle (bin/lib/bundle.mjs) with the code that V8 made of it at
// an earlier start, so that nothing is compiled again (decision 0015). That code lies beside the
// bundle, in one file for each programme and each V8 with its options:
//   SHA-256 of the bundle (32 bytes), SHA-256 of the rest (32 bytes), what V8 made
// A file that does not fit or was damaged is not used, and the next start that gets to its end
// writes it anew. Where the folder cannot be written to, each start compiles, and nothing else
// changes. A user that may write these files may write the bundle too: they lie in its folder and
// nowhere else.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

const hashBytes = 32;

/** By name. A promise is true once the programme does its work, false where it had none to do. */
type Programmes = Readonly<Record<string, () => Promise<boolean>>>;

interface Compiled {
  readonly script: vm.Script;
  /** Whether V8 took what an earlier start had kept. */
  readonly isKept: boolean;
  /** Of the bundle. */
  readonly hash: Buffer;
}

/** `bundle`: its file; `name`: of the programme, which is started. */
export function load(bundle: string, name: string): void {
  const kept = `${bundle.replace(/\.js$/, '')}-${name}-${v8.cachedDataVersionTag()}.cache`;
  const compiled = compile(bundle, kept);
  const { programmes } = run(bundle, compiled.script);
  const programme = programmes[name];
  if (programme === undefined) throw new Error(`${bundle} holds no programme ${name}`);
  void programme().then((isStarted) => {
    if (isStarted && !compiled.isKept) keep(kept, compiled);
  });
}

function compile(bundle: string, kept: string): Compiled {
  const bytes = fs.readFileSync(bundle);
  const hash = sha256(bytes);
  const cachedData = read(kept, hash);
  // The build writes ASCII alone, which V8 keeps at one byte a character.
  const given = 'exports, require, module, __filename, __dirname, __import';
  const source = `(function (${given}) {${bytes.toString('latin1')}\n})`;
  const script = new vm.Script(source, {
    filename: bundle,
    ...(cachedData !== undefined && { cachedData }),
  });
  return { script, hash, isKept: script.cachedDataRejected === false };
}

function run(bundle: string, script: vm.Script): { programmes: Programmes } {
  const module = { exports: {} };
  const start = script.runInThisContext() as (...given: unknown[]) => void;
  // An import of the bundle's own would have no one to answer it where V8 took what was kept.
  const importLater = (specifier: string): Promise<unknown> => import(specifier);
  const require = Module.createRequire(bundle);
  start(module.exports, require, module, bundle, path.dirname(bundle), importLater);
  return module.exports as { programmes: Programmes };
}

function read(file: string, hash: Buffer): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(file);
  } catch {
    return undefined; // Nothing was kept yet.
  }
  const data = bytes.subarray(2 * hashBytes);
  const isWhole =
    hash.equals(bytes.subarray(0, hashBytes)) &&
    sha256(data).equals(bytes.subarray(hashBytes, 2 * hashBytes));
  return isWhole ? data : undefined;
}

/** Under another name first: a process that starts meanwhile reads all of it or nothing. */
function keep(file: string, { script, hash }: Compiled): void {
  const made = `${file}.${process.pid}`;
  try {
    fs.accessSync(path.dirname(file), fs.constants.W_OK);
    const data = script.createCachedData();
    fs.writeFileSync(made, Buffer.concat([hash, sha256(data), data]));
    fs.renameSync(made, file);
  } catch {
    // Such as a folder of another user's: the next start compiles as this one did.
    fs.rmSync(made, { force: true });
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
