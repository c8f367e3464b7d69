import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings, toVariable } from '../../src/server/config.js';
import { settingsTable } from '../../src/server/settings-table.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';

let folder: string;
beforeEach(() => void (folder = createFolder()));
afterEach(() => removeFolder(folder));

function fileWith(settings: unknown): string {
  const file = path.join(folder, 'settings.json');
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return file;
}

describe('a setting', () => {
  it('of a plug-in comes from the same places, and its plug-in checks it', () => {
    const name = 'plugin.weather.serviceUrl';
    const config = { DOWNBEAT_CONFIG: fileWith({ [name]: 'file' }) };
    const env = { ...config, DOWNBEAT_PLUGIN_WEATHER_SERVICE_URL: 'environment' };
    const given = (args: string[], from: NodeJS.ProcessEnv): unknown =>
      readSettings(args, from).pluginSettings.value(name);
    expect(given([`--${name}=argument`], env)).toBe('argument');
    expect(given([], env)).toBe('environment');
    expect(given([], config)).toBe('file');
    expect(given([], {})).toBeUndefined();
    expect(readSettings(['--plugin.other.x=1'], config).pluginSettings.names).toEqual([
      ...['plugin.other.x', name],
    ]);
  });

  it('that is a plug-in’s now is taken by its earlier name, too', () => {
    const value = (args: string[], from: NodeJS.ProcessEnv = {}): unknown =>
      readSettings(args, from).pluginSettings.value('plugin.models.silenceMsMax');
    expect(value(['--model-silence-ms-max=7'])).toBe('7');
    expect(value([], { DOWNBEAT_MODEL_SILENCE_MS_MAX: '8' })).toBe('8');
    expect(value([], { DOWNBEAT_CONFIG: fileWith({ modelSilenceMsMax: 9 }) })).toBe(9);
    expect(() => readSettings(['--modelSilenceMsMax=7'], {})).toThrow('There is no setting');
    const both = ['--model-silence-ms-max=7', '--plugin.models.silenceMsMax=8'];
    expect(() => value(both)).toThrow(
      'is the earlier name of plugin.models.silenceMsMax: give one',
    );
  });

  it('comes from the arguments, else the environment, else the file, else the default', () => {
    const file = fileWith({ port: 1001, shards: 8, logLevel: 'warn' });
    const env = { DOWNBEAT_PORT: '1002', DOWNBEAT_SHARDS: '16', DOWNBEAT_CONFIG: file };
    expect(readSettings(['--port', '1003'], env)).toMatchObject({
      port: 1003,
      shards: 16,
      logLevel: 'warn',
      host: '127.0.0.1',
      retentionSeconds: 7 * 24 * 3600,
    });
    expect(readSettings([`--config=${file}`], {}).port).toBe(1001);
  });

  it('may be written with an equals sign, and a flag without a value is true', () => {
    const settings = readSettings(
      ['--data-dir=/x/y', '--name-validation', '--outbound-allowed-hosts', 'a:1, b'],
      {},
    );
    expect(settings.dataDir).toBe('/x/y');
    expect(settings.nameValidation).toBe(true);
    expect(settings.outboundAllowedHosts).toEqual(['a:1', 'b']);
  });

  it('of the Redis address may also be REDIS_URL', () => {
    expect(readSettings([], { REDIS_URL: 'redis://a' }).redisUrl).toBe('redis://a');
    const both = { REDIS_URL: 'redis://a', DOWNBEAT_REDIS_URL: 'redis://b' };
    expect(readSettings([], both).redisUrl).toBe('redis://b');
  });

  it('with an empty variable keeps its default', () => {
    expect(readSettings([], { DOWNBEAT_PORT: '' }).port).toBe(8080);
  });

  it('is not taken from the address of a service that Kubernetes puts into the environment', () => {
    const links = {
      DOWNBEAT_PORT: 'tcp://10.0.0.1:8080',
      DOWNBEAT_SERVICE_HOST: '10.0.0.1',
      DOWNBEAT_SERVICE_PORT_HTTP: '8080',
      DOWNBEAT_PORT_8080_TCP_ADDR: '10.0.0.1',
      DOWNBEAT_PEERS_PORT_7080_TCP: 'tcp://10.0.0.2:7080',
    };
    expect(readSettings([], links).port).toBe(8080);
  });

  it('has a variable that names it and no other', () => {
    const names = Object.keys(settingsTable).map(toVariable);
    expect(new Set(names).size).toBe(names.length);
    expect(toVariable('service.workflow-message-queue.enabled')).toBe(
      'DOWNBEAT_SERVICE_WORKFLOW_MESSAGE_QUEUE_ENABLED',
    );
  });
});

it.each(['--auth', '--allow-unauthenticated'])('with %s any address may be listened on', (flag) => {
  expect(readSettings(['--host', '0.0.0.0', flag], {}).host).toBe('0.0.0.0');
});

describe('a setting is refused with a sentence', () => {
  it.each([
    [['--bogus', '1'], /no setting --bogus/],
    [['--prot', '1'], /There is no setting --prot\. Did you mean --port\?/],
    [['port'], /'port' is not a setting/],
    [['--port', 'many'], /^--port must be a whole number from 0 to 65535, not 'many'/],
    [['--port', '70000'], /from 0 to 65535/],
    [['--port', '1.5'], /whole number/],
    [['--port'], /not 'true'/],
    [['--shards', '0'], /from 1 to 65536/],
    [['--archive', '--object-store', 'none'], /^--archive needs .* --object-store/],
    [['--log-level', 'loud'], /^--log-level must be one of trace, .*not 'loud'/],
    [['--name-validation', 'maybe'], /must be true or false/],
    [['--host', '0.0.0.0'], /^--host 0.0.0.0 is not a loopback address/],
    [['--redis-url', 'x'], /^--redis-url must be an address with redis:\/\/, .*not 'x'/],
    [['--redis-url', 'http://me:secret@h'], /not 'http:\/\/h'/],
    [['--redis-url', 'localhost:6379'], /such as redis:\/\/127\.0\.0\.1:6379/],
    [['--base-path', 'flows'], /^--base-path must begin with a slash/],
    [['--base-path', '/flows/'], /and not end with one/],
    [['--caller-weights', 'app:a=0'], /^--caller-weights takes entries NAME=WEIGHT .*'app:a=0'/],
    [['--config', '/no/such/file'], /settings file \/no\/such\/file cannot be read/],
  ] as [string[], RegExp][])('%j', (args, message) => {
    expect(() => readSettings(args, {})).toThrow(message);
  });

  it('from the environment, where a name is misspelt', () => {
    expect(() => readSettings([], { DOWNBEAT_PROT: '1' })).toThrow(
      'There is no setting DOWNBEAT_PROT (in the environment). Did you mean DOWNBEAT_PORT?',
    );
    expect(readSettings([], { DOWNBEAT_PROT: '' }).port).toBe(8080);
  });

  it('from the file, also when it is no object or has unknown names', () => {
    expect(() => readSettings(['--config', fileWith('[1]')], {})).toThrow(
      /must hold a JSON object/,
    );
    expect(() => readSettings(['--config', fileWith({ prot: 1 })], {})).toThrow(/no setting prot/);
    expect(() => readSettings(['--config', fileWith({ port: -1 })], {})).toThrow(/port must be/);
    expect(() => readSettings(['--config', fileWith('{')], {})).toThrow(/cannot be read/);
  });
});
