// Schemas as other areas see them: descriptions of services bring some.
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';

export interface NamedSchema {
  readonly name: string;
  readonly data: JsonMap;
}

/** Registers the schemas of a foreign description whose names are free. */
export type RegisterSchemas = (caller: Caller, found: readonly NamedSchema[]) => Promise<void>;
