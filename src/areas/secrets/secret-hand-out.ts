// Puts secrets in place of their names in what is handed out, and tells the engine what it needs to
// keep values out of what is stored (semantics 3.7). An execution reads secrets with the rights of
// who started it; what started without anybody (authentication was off, or the server itself) may
// read all.
import {
  resolveSecrets,
  secretNamesIn,
  type SecretLookup,
} from '../../engine/expression/secrets.js';
import type { SecretRules } from '../../engine/context.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import type { HandedOutValues } from '../../shard/task-texts.js';
import type { Ports } from '../ports.js';
import type { EnvironmentVariables } from './environment-variables.js';
import type { Secrets } from './secrets.js';

export interface SecretHandOutParts extends Pick<Ports, 'access' | 'starterOf'> {
  readonly secrets: Secrets;
  readonly variables: EnvironmentVariables;
  /** Setting: a name that no secret has gives null, as in the open-source server. */
  readonly unknownAsNull: boolean;
}

export class SecretHandOut implements SecretRules, HandedOutValues {
  constructor(private readonly parts: SecretHandOutParts) {}

  get any(): boolean {
    return this.parts.secrets.any;
  }

  /** Values that the starter of an execution may read; undefined for all others. */
  readonly lookupFor = (startedBy: string | undefined): SecretLookup => {
    return (name) =>
      this.#mayRead(startedBy, name) ? this.parts.secrets.valueNow(name) : undefined;
  };

  /** The JSON text of a task with secrets in its input (semantics 3.7.1). */
  readonly inTaskJson = (json: string, startedBy: string | undefined): string => {
    const task = parseJson(json) as JsonMap;
    const input = task['inputData'] ?? null;
    const resolved: Json = resolveSecrets(input, this.lookupFor(startedBy));
    return resolved === input ? json : toJsonText({ ...task, inputData: resolved });
  };

  unreadable(text: string, startedBy: string | undefined): string | undefined {
    return secretNamesIn(text).find(
      (name) => this.parts.secrets.exists(name) && !this.#mayRead(startedBy, name),
    );
  }

  unknown(names: readonly string[]): string | undefined {
    const { secrets, unknownAsNull } = this.parts;
    return unknownAsNull ? undefined : names.find((name) => !secrets.exists(name));
  }

  withheld(name: string, startedBy: string | undefined): 'unknown' | 'unreadable' | undefined {
    const { secrets, variables, unknownAsNull } = this.parts;
    if (secrets.exists(name)) return this.#mayRead(startedBy, name) ? undefined : 'unreadable';
    if (variables.valueNow(name) !== undefined) {
      return variables.mayRead(name, startedBy) ? undefined : 'unreadable';
    }
    return unknownAsNull ? undefined : 'unknown';
  }

  /**
   * Values of the secrets and environment variables that the starter may read (semantics 3.7.5);
   * others are left out. A secret wins over a variable of its name.
   */
  readonly attached = (
    names: readonly string[],
    startedBy: string | undefined,
  ): Readonly<Record<string, string>> => {
    const { secrets, variables } = this.parts;
    const values = Object.create(null) as Record<string, string>;
    for (const name of names) {
      if (this.withheld(name, startedBy) !== undefined) continue;
      const value = secrets.exists(name) ? secrets.valueNow(name) : variables.valueNow(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  };

  textsOf(names: Iterable<string>): readonly string[] {
    return this.parts.secrets.textsOf(names);
  }

  #mayRead(startedBy: string | undefined, name: string): boolean {
    const caller = this.parts.starterOf(startedBy);
    if (caller === undefined) return false;
    return this.parts.access.may(caller, 'READ', { type: 'SECRET_NAME', id: name });
  }
}
