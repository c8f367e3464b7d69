// An integration as a task uses it: its configuration, opened for one call (contract-admin 14.3). A
// part of the contract with plug-ins (docs/plugins.md).
import type { JsonMap } from '../model/json.js';
import { FinalFailure } from './final-failure.js';

export interface OpenIntegration {
  readonly name: string;
  /** Kind of provider (contract-admin 14.3); undefined: none was given. */
  readonly type: string | undefined;
  readonly configuration: JsonMap;
}

/** A configuration value as a text; empty when it is absent. */
export function configured({ configuration }: OpenIntegration, key: string): string {
  const value = configuration[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** The same, where the call cannot be made without it. Throws FinalFailure. */
export function required(integration: OpenIntegration, key: string): string {
  const value = configured(integration, key);
  if (value !== '') return value;
  throw new FinalFailure(`The integration ${integration.name} has no ${key} in its configuration`);
}
