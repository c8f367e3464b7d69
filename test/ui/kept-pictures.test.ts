// What the pictures of pages are compared with: there is one for each page, and the answers that
// they are drawn from are such as the server gives today.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { sharedServer } from '../support/shared-server.js';
import { addressesOf, fileOf, states, themes, widths } from './pictures/plan.js';
import { baselineFolder, readRecording } from './pictures/recorded-server.js';

const bytesMax = 5_000_000;
const server = sharedServer(import.meta.url);

it('the pictures that are kept are those of the pages there are, and small', () => {
  const wanted = states.flatMap((state) =>
    addressesOf(state).flatMap((address) =>
      widths.flatMap((width) => themes.map((theme) => fileOf(state, address, width, theme))),
    ),
  );
  const kept = fs
    .readdirSync(baselineFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.webp'))
    .map((name) => path.join(baselineFolder, name));
  expect([...kept].sort()).toEqual([...wanted].sort());
  const bytes = kept.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  expect(bytes).toBeLessThan(bytesMax);
});

it('the recorded answers are such as the server gives today', async () => {
  const description = await (await fetch(`${server.url}/api-docs.json`)).json();
  const forms = new ApiSchemas(description as ApiDescription);
  for (const state of ['full', 'empty']) {
    for (const [key, answer] of Object.entries(readRecording(state).answers)) {
      const [method = '', address = ''] = key.split(' ');
      const { status, contentType, body: text } = answer;
      forms.check(method, address, { status, contentType, text });
    }
  }
});
