// Each page in some states beside the pictures that are kept of it, as tests.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserMissing, buildPage } from '../browser.js';
import {
  addressesOf,
  differenceMax,
  fileOf,
  PictureRoom,
  readKept,
  themes,
  widths,
  type State,
} from './plan.js';
import { notRecorded } from './recorded-server.js';

export function comparePictures(states: readonly State[]): void {
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
}
