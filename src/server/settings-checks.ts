// Checks of settings that concern several settings, or that need more than a bound. Each check
// throws SettingError.
import path from 'node:path';
import { areas } from '../areas/list.js';
import { checkProcesses } from './processes/process-count.js';
import { endStatuses, parseRetention, type RetentionRules } from '../model/retention.js';
import { parseWeights, type WeightOf } from '../std/weights.js';
import type { Settings } from './settings-table.js';
import { isLoopback, SettingError } from '../settings/setting.js';
import { withoutPassword } from './start-failure.js';
import { plainId } from '../model/subject.js';
import { personIdOf } from '../model/person-id.js';

const basePathPattern = /^(?:\/[\w.~-]+)+$/;

/** The settings as the server uses them. Throws SettingError. */
export function checkTogether(settings: Settings): Settings {
  for (const area of areas) area.checkSettings?.(settings);
  if (!isLoopback(settings.host) && !settings.auth && !settings.allowUnauthenticated) {
    throw new SettingError(
      `--host ${settings.host} is not a loopback address: without authentication the server listens on loopback only. ` +
        'Start it with --auth, or say --allow-unauthenticated if everybody there may do everything.',
    );
  }
  if (settings.basePath !== '' && !basePathPattern.test(settings.basePath)) {
    throw new SettingError(
      `--base-path must begin with a slash and not end with one, not '${settings.basePath}'.`,
    );
  }
  const { loopBlockedMsMax } = settings;
  if (loopBlockedMsMax !== 0 && loopBlockedMsMax < 1000) {
    throw new SettingError(
      `--loop-blocked-ms-max must be 0 or at least 1000, not '${loopBlockedMsMax}'.`,
    );
  }
  checkProcesses(settings);
  const asking = settings.metricsToken ? '--metrics-token' : '--api-docs-token';
  if (!settings.auth && (settings.metricsToken || settings.apiDocsToken)) {
    throw new SettingError(`${asking} needs --auth: without it nobody is asked for a token.`);
  }
  retentionRulesOf(settings);
  weightsOf(settings);
  checkObjects(settings);
  if ((settings.tlsCertFile === '') !== (settings.tlsKeyFile === '')) {
    throw new SettingError(
      '--tls-cert-file and --tls-key-file belong together: give both or none.',
    );
  }
  checkRedisUrl(settings);
  checkRedisTls(settings);
  return { ...settings, dataDir: path.resolve(settings.dataDir) };
}

function checkRedisUrl({ redisUrl }: Settings): void {
  if (redisUrl === '' || /^(?:unix:|rediss?(?:-sentinel|-cluster)?:\/\/).+/.test(redisUrl)) return;
  throw new SettingError(
    '--redis-url must be an address with redis://, unix:, redis-sentinel:// or redis-cluster:// ' +
      `(rediss in place of redis for TLS), such as redis://127.0.0.1:6379, not '${withoutPassword(redisUrl)}'.`,
  );
}

function checkRedisTls(settings: Settings): void {
  const { redisUrl, redisTlsCaFile, redisTlsCertFile, redisTlsKeyFile } = settings;
  if ((redisTlsCertFile === '') !== (redisTlsKeyFile === '')) {
    throw new SettingError(
      '--redis-tls-cert-file and --redis-tls-key-file belong together: give both or none.',
    );
  }
  if (`${redisTlsCaFile}${redisTlsCertFile}` !== '' && !redisUrl.startsWith('rediss')) {
    throw new SettingError(
      '--redis-tls-ca-file, --redis-tls-cert-file and --redis-tls-key-file need a --redis-url with TLS: ' +
        'rediss://, rediss-sentinel:// or rediss-cluster://.',
    );
  }
}

function checkObjects(settings: Settings): void {
  const { objectStore, s3Bucket, s3AccessKeyId, s3SecretAccessKey, s3Endpoint } = settings;
  if (objectStore === 's3' && (!s3Bucket || !s3AccessKeyId || !s3SecretAccessKey)) {
    throw new SettingError(
      'With --object-store s3, --s3-bucket, --s3-access-key-id and --s3-secret-access-key must be given.',
    );
  }
  for (const [name, address] of Object.entries({
    's3-endpoint': s3Endpoint,
    'public-url': settings.publicUrl,
  })) {
    if (
      address !== '' &&
      !/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : '')
    ) {
      throw new SettingError(
        `--${name} must be an address with http:// or https://, not '${address}'.`,
      );
    }
  }
  const hasObjects =
    objectStore === 'auto' ? settings.redisUrl === '' : settings.objectStore !== 'none';
  if (settings.archive && !hasObjects) {
    throw new SettingError('--archive needs an object store: set --object-store to folder or s3.');
  }
}

/** How long finished executions are kept. Throws SettingError. */
export function retentionRulesOf(settings: Settings): RetentionRules {
  const { retentionSeconds: seconds, retentionByStatus, retentionByDefinition } = settings;
  const isStatus = (key: string): boolean => endStatuses.some((status) => status === key);
  try {
    return {
      seconds,
      byStatus: parseRetention('--retention-by-status', retentionByStatus, isStatus),
      byDefinition: parseRetention('--retention-by-definition', retentionByDefinition, () => true),
    };
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}

/** Of callers, by subject id. Throws SettingError. */
export function weightsOf({ callerWeights }: Settings): WeightOf {
  try {
    const weightOf = parseWeights('--caller-weights', callerWeights.map(personIdOf));
    return callerWeights.length === 0 ? weightOf : (caller) => weightOf(plainId(caller));
  } catch (error) {
    throw new SettingError((error as Error).message);
  }
}

/** Whether users come over TLS, here or at a proxy: what tells of it is any address with https. */
export function isSecure(settings: Settings): boolean {
  const { tlsCertFile, oidcRedirectUrl, publicUrl, webOrigins } = settings;
  const addresses = [oidcRedirectUrl, publicUrl, ...webOrigins];
  return tlsCertFile !== '' || addresses.some((url) => url.startsWith('https:'));
}
