// Runs one JavaScript program in QuickJS, a separate engine in WebAssembly (invariants S2): a fresh
// runtime for each script, JSON text in and out, no host objects. Only worker processes use it,
// because a pattern match inside it cannot be interrupted.
import { worldPrelude } from './script-world.js';
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  Scope,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import {
  memoryLimitMessage,
  outputLimitMessage,
  type ScriptAnswer,
  type ScriptJob,
  timeLimitMessage,
} from './job.js';

/** Bytes of stack a script may use; the WebAssembly stack is larger. */
const stackBytesMax = 256 * 1024;

/** A text of this mark and digits stands for an integer that a double cannot hold. */
const integerMark = '\uE0FF';

/**
 * Runs before the script. Lists get the read-only members of the reference's lists (`get`, `size`,
 * `isEmpty`, `contains`), which definitions use; they cannot be enumerated. Returns the functions
 * that read the input and write the result. These keep the original JSON functions, whatever the
 * script does to the global ones.
 */
const prelude = `(() => {
  const { parse, stringify } = JSON;
  const toText = String;
  const isSafe = Number.isSafeInteger;
  const toNumber = Number;
  const lists = {
    get(index) { return this[index]; },
    size() { return this.length; },
    isEmpty() { return this.length === 0; },
    contains(item) { return this.includes(item); },
  };
  for (const name of Object.keys(lists)) {
    Object.defineProperty(Array.prototype, name, { value: lists[name], writable: true, configurable: true });
  }
  const { isFinite } = Number;
  const { fromEntries } = Object;
  function convert(key, item) {
    switch (typeof item) {
      case 'undefined':
        return null;
      case 'number':
        return isFinite(item) ? item : toText(item);
      case 'function':
      case 'symbol':
        return {};
      case 'bigint': {
        const number = toNumber(item);
        return isSafe(number) ? number : '${integerMark}' + toText(item);
      }
    }
    const original = this[key];
    if (original instanceof Date) return {};
    return item instanceof Map ? fromEntries(item) : item;
  }
  return [
    (text) => { globalThis.$ = parse(text); },
    (value) => stringify(value, convert) ?? 'null',
  ];
})()`;

export class JavaScriptRunner {
  private constructor(readonly quickjs: QuickJSWASMModule) {}

  static async load(): Promise<JavaScriptRunner> {
    // The package's types describe its CommonJS file, Node loads the module one, whose default is
    // the variant itself.
    const loaded = variant as typeof variant & QuickJSSyncVariant;
    return new JavaScriptRunner(await newQuickJSWASMModuleFromVariant(loaded));
  }

  /** Bytes of WebAssembly memory; it never shrinks. */
  get memoryBytes(): number {
    return this.quickjs.getWasmMemory().buffer.byteLength;
  }

  /**
   * Errors of a script are an answer. A trap of WebAssembly itself throws, and then the process
   * must end.
   */
  run(job: ScriptJob): ScriptAnswer {
    const deadline = Date.now() + job.timeMsMax;
    let interrupted = false;
    const runtime = this.quickjs.newRuntime({
      memoryLimitBytes: job.memoryBytesMax,
      maxStackSizeBytes: stackBytesMax,
      interruptHandler: () => (interrupted ||= Date.now() > deadline),
    });
    const context = runtime.newContext();
    try {
      return new Evaluation(context, job).run();
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error;
      if (interrupted) return { kind: 'limit', message: timeLimitMessage(job.timeMsMax) };
      if (error.outOfMemory) {
        return { kind: 'limit', message: memoryLimitMessage(job.memoryBytesMax) };
      }
      return { kind: 'error', message: error.message };
    } finally {
      context.dispose();
      runtime.dispose();
    }
  }
}

class ScriptFailure extends Error {
  constructor(
    message: string,
    readonly outOfMemory: boolean,
  ) {
    super(message);
  }
}

class Evaluation {
  constructor(
    readonly context: QuickJSContext,
    readonly job: ScriptJob,
  ) {}

  run(): ScriptAnswer {
    return Scope.withScope((scope) => this.#runIn(scope));
  }

  /** Runs the script, then disposes of the values that the scope manages, in reverse. */
  #runIn(scope: Scope): ScriptAnswer {
    const { context, job } = this;
    const functions = scope.manage(this.#evaluate(prelude));
    const read = scope.manage(context.getProp(functions, 0));
    const write = scope.manage(context.getProp(functions, 1));
    const input = scope.manage(context.newString(job.inputText));
    this.#call(read, input).dispose();
    if (job.world !== undefined) this.#evaluate(worldPrelude(job.world)).dispose();
    const value = scope.manage(this.#evaluate(job.source));
    const text = scope.manage(this.#call(write, value));
    const length = scope.manage(context.getProp(text, 'length'));
    if (context.getNumber(length) > job.outputCharsMax) {
      return { kind: 'limit', message: outputLimitMessage(job.outputCharsMax) };
    }
    return { kind: 'value', text: unmarkIntegers(context.getString(text)) };
  }

  #evaluate(source: string): QuickJSHandle {
    const result = this.context.evalCode(source, 'inline', { type: 'global' });
    if (result.error) this.#fail(result.error);
    return result.value;
  }

  #call(callee: QuickJSHandle, argument: QuickJSHandle): QuickJSHandle {
    const result = this.context.callFunction(callee, this.context.undefined, argument);
    if (result.error) this.#fail(result.error);
    return result.value;
  }

  #fail(thrown: QuickJSHandle): never {
    const value: unknown = thrown.consume((handle) => this.context.dump(handle) as unknown);
    throw toFailure(value);
  }
}

function unmarkIntegers(text: string): string {
  return text.includes(integerMark)
    ? text.replace(new RegExp(`"${integerMark}(-?\\d+)"`, 'g'), '$1')
    : text;
}

/**
 * Errors of the language itself are followed by their line, errors that a script makes are not
 * (semantics 4.17). A thrown value that is no error does not say where that was: it counts as the
 * first line.
 */
function toFailure(thrown: unknown): ScriptFailure {
  // The memory ran out while the error was made.
  if (thrown === null || thrown === undefined) return new ScriptFailure('null', thrown === null);
  if (typeof thrown !== 'object') return new ScriptFailure(`${String(thrown)} at line 1`, false);
  const { name, message, stack } = thrown as { name?: unknown; message?: unknown; stack?: unknown };
  if (typeof name !== 'string' || typeof message !== 'string') {
    return new ScriptFailure(`${Array.isArray(thrown) ? 'Array' : 'Error'} at line 1`, false);
  }
  const outOfMemory = name === 'InternalError' && message === 'out of memory';
  if (!languageErrors.has(name)) {
    return new ScriptFailure(message === '' ? name : `${name}: ${message}`, outOfMemory);
  }
  const text = `${name}: ${message.replace(/^(cannot|invalid) /, capitalized)}`;
  const line = typeof stack === 'string' ? /inline:(\d+)/.exec(stack)?.[1] : undefined;
  return new ScriptFailure(`${text} at line ${line ?? '1'}`, false);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const languageErrors: ReadonlySet<string> = new Set([
  'SyntaxError',
  'ReferenceError',
  'TypeError',
  'RangeError',
]);
