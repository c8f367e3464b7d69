// Puts secrets in place of their names in what is handed out, and tells the engine what it needs to
// keep values out of what is stored (semantics 3.7). An execution reads secrets with the rights of
// who started it; what started without anybody (authentication was off, or the server itself) may
// read all.
import type { AccessRules } from '../../access/access-rules.js';
import {
  resolveSecrets,
  secretNamesIn,
  type SecretLookup,
} from '../../engine/expression/secrets.js';
import type { SecretRules } from '../../engine/context.js';
import type { Caller } from '../../model/caller.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import type { Secrets } from './secrets.js';

export class SecretHandOut implements SecretRules {
  constructor(
    private readonly secrets: Secrets,
    /** Who started an execution, by the subject id. */
    private readonly starter: (startedBy: string | undefined) => Caller | undefined,
    private readonly access: AccessRules,
  ) {}

  /** Values that the starter of an execution may read; undefined for all others. */
  readonly lookupFor = (startedBy: string | undefined): SecretLookup => {
    return (name) => (this.#mayRead(startedBy, name) ? this.secrets.valueNow(name) : undefined);
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
      (name) => this.secrets.exists(name) && !this.#mayRead(startedBy, name),
    );
  }

  textsIn(text: string): readonly string[] {
    return this.secrets.textsOf(secretNamesIn(text));
  }

  #mayRead(startedBy: string | undefined, name: string): boolean {
    const caller = this.starter(startedBy);
    if (caller === undefined) return false;
    return this.access.may(caller, 'READ', { type: 'SECRET_NAME', id: name });
  }
}
