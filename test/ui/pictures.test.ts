// Every page looks as it did: full, empty, refused by the server and while it loads, light and
// dark, 390 and 1920 pixels wide, each compared with the picture that was kept, with a tolerance
// for how machines smooth letters. A page that is meant to look otherwise is drawn anew by
// `npm run screenshots -- --baseline`, and looked at; one that asks for something else is recorded
// anew by `--record` with it.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiSchemas, type ApiDescription } from '../support/api-schemas.js';
import { startServer } from '../support/server.js';
import { browserMissing, buildPage } from './browser.js';
import {
  addressesOf,
  differenceMax,
  fileOf,
  PictureRoom,
  readKept,
  states,
  themes,
  widths,
} from './pictures/plan.js';
import { baselineFolder, notRecorded, readRecording } from './pictures/recorded-server.js';

const bytesMax = 5_000_000;

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
  const server = await startServer();
  try {
    const description = await (await fetch(`${server.url}/api-docs.json`)).json();
    const forms = new ApiSchemas(description as ApiDescription);
    for (const state of ['full', 'empty']) {
      for (const [key, answer] of Object.entries(readRecording(state).answers)) {
        const [method = '', address = ''] = key.split(' ');
        const { status, contentType, body: text } = answer;
        forms.check(method, address, { status, contentType, text });
      }
    }
  } finally {
    await server.stop();
  }
});

describe.skipIf(browserMissing !== undefined).each(states)('%s', (state) => {
  let room: PictureRoom;
  beforeAll(async () => {
    buildPage();
    room = await PictureRoom.of(state);
  });
  afterAll(() => room?.stop());

  describe.each(widths)('%i px', (width) => {
    let page: Page;
    beforeAll(async () => {
      page = await room.open(width);
    });
    afterAll(() => page?.context().close());

    it.each(addressesOf(state))('/%s', async (address) => {
      await room.show(page, address);
      for (const theme of themes) {
        const { most, at } = await room.compare(
          page,
          theme,
          readKept(fileOf(state, address, width, theme)) ?? '',
        );
        expect(most, `${theme}: differs at ${at.x}, ${at.y}`).toBeLessThanOrEqual(differenceMax);
      }
      expect(room.server.unknown.size === 0 ? '' : notRecorded(room.server.unknown)).toBe('');
    });
  });
});

describe.skipIf(browserMissing !== undefined)('a page that is changed', () => {
  let room: PictureRoom;
  let page: Page;
  const address = 'executions';
  const kept = readKept(fileOf('full', address, 1920, 'light')) ?? '';
  beforeAll(async () => {
    room = await PictureRoom.of('full');
    page = await room.open(1920);
  });
  afterAll(() => room?.stop());

  const changed = async (change: string): Promise<number> => {
    await room.show(page, address);
    await page.evaluate(change);
    return (await room.compareOnce(page, 'light', kept)).most;
  };

  it.each([
    ['a button is gone', `document.querySelector('.button.main').remove()`],
    ['a button moves', `document.querySelector('.button.main').style.translate = '-16px 0'`],
    ['a heading is other words', `document.querySelector('h1').textContent = 'Elsewhere'`],
    [
      'a colour is another one',
      `document.querySelector('.button.main').style.background = '#a03010'`,
    ],
    ['a row is missing', `document.querySelectorAll('[role=row]')[4].style.visibility = 'hidden'`],
  ])('is seen: %s', async (_what, change) => {
    expect(await changed(change)).toBeGreaterThan(differenceMax);
  });

  it('is not where letters are only smoothed in another way', async () => {
    const otherwise = `document.querySelector('[role=table]').style.filter = 'blur(0.4px)'`;
    expect(await changed(otherwise)).toBeLessThanOrEqual(differenceMax);
  });
});
