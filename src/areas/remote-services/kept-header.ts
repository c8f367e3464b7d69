// When an update of a remote service may keep the header that its calls carry (docs/access.md, Kept
// secrets): every field decides where the header goes, but those that are named here.
import type { Json, JsonMap } from '../../model/json.js';
import { changedFields, checkKeptSecrets, maskedSecret } from '../../model/kept-secrets.js';
import type { RemoteService, ServiceFields } from './remote-service.js';

/** The header with its stored value; undefined where a value is sent, or none is stored. */
export function keptHeader(
  given: ServiceFields['authMetadata'],
  known: RemoteService | undefined,
): RemoteService['authMetadata'] {
  if (given?.value !== maskedSecret || known?.authMetadata === undefined) return undefined;
  return { key: given.key, sealed: known.authMetadata.sealed };
}

/** Throws AppError 'bad-request' where `next` has the header of `known` and sends it elsewhere. */
export function checkKeptHeader(known: RemoteService, next: RemoteService): void {
  const sealed = next.authMetadata?.sealed;
  if (sealed === undefined || sealed !== known.authMetadata?.sealed) return;
  checkKeptSecrets({
    kept: ['authMetadata.value'],
    changed: changedFields(decidingFields(known), decidingFields(next)),
  });
}

/** With the defaults that readers see, so that what was read can be sent back. */
function decidingFields(service: RemoteService): JsonMap {
  const {
    name: _name,
    methods: _methods,
    requestParams: _requestParams,
    circuitBreakerConfig: _circuitBreakerConfig,
    circuitBreakerEnabled: _circuitBreakerEnabled,
    authMetadata,
    servers = [],
    useSSL = false,
    trustCert = false,
    ...others
  } = service;
  return {
    ...others,
    ...{ useSSL, trustCert, servers: servers as unknown as Json },
    'authMetadata.key': authMetadata?.key ?? '',
  };
}
