// Every kind of provider that contract-admin 14.3 lists, taken from the page: stored, read with its
// secrets masked, updated, given a model and tags, listed and deleted.
import { beforeAll, describe, expect, it } from 'vitest';
import { readProjectFile } from '../../structure/source-tree.js';
import type { JsonObject } from '../../../testkit/wire.js';
import type { Session } from '../../../testkit/secured-server.js';
import { sharedSecuredServer } from '../../support/shared-server.js';

const base = '/api/integrations';
const canary = 'canary-of-kinds';

interface Kind {
  readonly type: string;
  readonly category: string;
  /** Configuration keys of the row, as far as they are single words. */
  readonly keys: readonly string[];
}

function kindsOfPage(): Kind[] {
  const page = readProjectFile('docs/contract-admin.md');
  const section = page.slice(page.indexOf('### 14.3 '), page.indexOf('## 15. '));
  return section.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, types = '', category = '', required = '', optional = ''] = cells;
    if (!/^[a-z_, ]+$/.test(types) || !/^[A-Z_]+$/.test(category)) return [];
    const keys = `${required}, ${optional}`
      .replace(/\(.*\)/, '')
      .split(/, */)
      .map((key) => key.trim())
      .filter((key) => /^\w+$/.test(key));
    return types.split(', ').map((type) => ({ type, category, keys }));
  });
}

const kinds = kindsOfPage();
/** Named below the table. */
const further = ['kafka_msk', 'kafka_confluent', 'aws_bedrock_llama2'];
/** Of the kinds PASSWORD and FILE (contract-admin 14.3); a header may carry a token. */
const secretKeys: ReadonlySet<string> = new Set(['api_key', 'password', 'file', 'header']);
/** Keys whose values are checked when they are saved. */
const values: Readonly<Record<string, string>> = { port: '5672', tls: 'false' };

const secured = sharedSecuredServer(import.meta.url);
let admin: Session;
beforeAll(async () => {
  ({ admin } = secured);
});

describe('the kinds of providers', () => {
  it('of the page are read from it', () => {
    expect(kinds.length).toBeGreaterThan(25);
    const names = kinds.map(({ type }) => type);
    expect(names).toEqual(expect.arrayContaining(['openai', 'aws_bedrock_titan', 'ibm_mq', 'git']));
  });

  it.each(kinds)('$type of $category is created, read, updated and deleted', async (kind) => {
    const { type, keys } = kind;
    // Clients know no category CLOUD, so such a kind is shown as API (contract-admin 14.1).
    const category = kind.category === 'CLOUD' ? 'API' : kind.category;
    const provider = `${base}/provider/of_${type}`;
    const valueOf = (key: string): string => values[key] ?? `a ${key}`;
    const withSecrets = (secret: string): JsonObject =>
      Object.fromEntries(keys.map((key) => [key, secretKeys.has(key) ? secret : valueOf(key)]));
    const [configuration, shown] = [withSecrets(canary), withSecrets('***')];
    const saved = { type, category, configuration, enabled: true, description: 'first' };
    expect(await admin.status('POST', provider, saved)).toBe(200);
    const read = (await admin.get(provider)).body;
    expect(read).toMatchObject({ ...saved, name: `of_${type}`, configuration: shown });
    // The mask comes back from a page and keeps what is stored.
    const update = { type, category, configuration: shown, description: 'second' };
    expect(await admin.status('POST', provider, update)).toBe(200);
    const again = await admin.get(provider);
    expect(again.body).toMatchObject({ description: 'second', configuration: shown });
    expect(again.text).not.toContain(canary);
    expect(await admin.status('POST', `${provider}/integration/m`, { enabled: true })).toBe(200);
    expect((await admin.get(`${provider}/integration`)).body).toMatchObject([{ api: 'm' }]);
    expect((await admin.get(provider)).body.modelsCount).toBe(1);
    const tags = [{ key: 'team', value: 'ops' }];
    expect(await admin.status('PUT', `${provider}/tags`, tags)).toBe(200);
    expect((await admin.get(`${provider}/tags`)).body).toEqual(tags);
    const listed = (await admin.get(`${base}/provider?category=${category}`)).body;
    expect(listed).toContainEqual(expect.objectContaining({ name: `of_${type}` }));
    const asked = (await admin.get(`${base}/def/${type}`)).body;
    expect(asked).toMatchObject({ name: type, category });
    const fields = asked.configuration.map(({ fieldName }: { fieldName: string }) => fieldName);
    expect(fields).toEqual(expect.arrayContaining([...keys]));
    expect(await admin.status('DELETE', provider)).toBe(200);
    expect(await admin.status('GET', provider)).toBe(404);
    expect(await admin.status('DELETE', provider)).toBe(404);
  });

  it.each(further)('%s is known too', async (type) => {
    expect((await admin.get(`${base}/def/${type}`)).body).toMatchObject({ name: type });
    expect(await admin.status('POST', `${base}/provider/further`, { type })).toBe(200);
    expect(await admin.status('DELETE', `${base}/provider/further`)).toBe(200);
  });
});
