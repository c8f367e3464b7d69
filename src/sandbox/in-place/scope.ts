// Names of a script and where their values stand at run time, settled before it runs.
import type * as Acorn from 'acorn';
import { type FunctionCode, giveUp } from './run-state.js';

export type BindingKind = 'var' | 'let' | 'const';

export interface Binding {
  readonly index: number;
  readonly kind: BindingKind;
}

/** Names whose meaning a script must not change, or we could not tell what they mean. */
const reserved: ReadonlySet<string> = new Set([
  'undefined', 'NaN', 'Infinity', 'eval', 'arguments', 'globalThis', '$',
]); // prettier-ignore

export type FunctionNode =
  Acorn.FunctionDeclaration | Acorn.FunctionExpression | Acorn.ArrowFunctionExpression;

export type CompileFunction = (node: FunctionNode, outer: Scope) => FunctionCode;

/** The names of one frame: of a function, or of a block that declares some. */
export class Scope {
  readonly #bindings = new Map<string, Binding>();
  slots = 0;

  constructor(
    readonly parent: Scope | undefined,
    /**
     * Functions consist of statements: handed down here, so that expressions need not know those.
     */
    readonly compileFunction: CompileFunction,
  ) {}

  /** A scope inside this one. */
  block(): Scope {
    return new Scope(this, this.compileFunction);
  }

  declare(name: string, kind: BindingKind): Binding {
    if (reserved.has(name)) giveUp();
    const known = this.#bindings.get(name);
    if (known !== undefined) return kind === 'var' && known.kind === 'var' ? known : giveUp();
    const binding = { index: this.slots++, kind };
    this.#bindings.set(name, binding);
    return binding;
  }

  own(name: string): Binding | undefined {
    return this.#bindings.get(name);
  }

  /** Slots that are unset until their declaration runs. */
  lexicalSlots(): number[] {
    return [...this.#bindings.values()]
      .filter((each) => each.kind !== 'var')
      .map((each) => each.index);
  }

  /**
   * The binding of `name` and how many frames out it stands; undefined for a name of the language.
   */
  resolve(name: string): { depth: number; binding: Binding } | undefined {
    const binding = this.own(name);
    if (binding !== undefined) return { depth: 0, binding };
    const outer = this.parent?.resolve(name);
    return outer && { depth: outer.depth + 1, binding: outer.binding };
  }
}
