// Names of a script and where their values stand at run time, known before it runs.
import type * as Acorn from 'acorn';
import { type FunctionCode, giveUp } from './run-state.js';

/** Names whose meaning a script must not change, or we could not tell what they mean. */
const reserved: ReadonlySet<string> = new Set([
  'undefined', 'NaN', 'Infinity', 'eval', 'arguments', 'globalThis', '$',
]); // prettier-ignore

export type FunctionNode =
  Acorn.FunctionDeclaration | Acorn.FunctionExpression | Acorn.ArrowFunctionExpression;

export type CompileFunction = (node: FunctionNode, outer: Scope) => FunctionCode;

/** The names of one frame: of a function, or of a block that declares some. */
export class Scope {
  /** Slots by name. */
  readonly #slots = new Map<string, number>();

  constructor(
    readonly parent: Scope | undefined,
    /**
     * Functions consist of statements: handed down here, so that expressions need not know those.
     */
    readonly compileFunction: CompileFunction,
  ) {}

  get slots(): number {
    return this.#slots.size;
  }

  block(): Scope {
    return new Scope(this, this.compileFunction);
  }

  /** Gives up where the name is declared twice; the worker knows which of both counts. */
  declare(name: string): void {
    if (reserved.has(name) || this.#slots.has(name)) giveUp();
    this.#slots.set(name, this.slots);
  }

  /** The slot of a name of this scope. */
  own(name: string): number | undefined {
    return this.#slots.get(name);
  }

  /**
   * The slot of `name` and how many frames out it stands; undefined for a name of the language.
   */
  resolve(name: string): { depth: number; index: number } | undefined {
    const index = this.own(name);
    if (index !== undefined) return { depth: 0, index };
    const outer = this.parent?.resolve(name);
    return outer && { depth: outer.depth + 1, index: outer.index };
  }
}
