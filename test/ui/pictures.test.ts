// Every page looks as it did: with data, light and dark, 390 and 1920 pixels wide, each compared
// with the picture that was kept, with a tolerance for how machines smooth letters. A page that is
// meant to look otherwise is drawn anew by `npm run screenshots -- --baseline`, and looked at; one
// that asks for something else is recorded anew by `--record` with it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing } from './browser.js';
import { comparePictures } from './pictures/each-page.js';
import { differenceMax, fileOf, PictureRoom, readKept } from './pictures/plan.js';

comparePictures(['full']);

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
