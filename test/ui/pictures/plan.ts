// Which pictures of the page are kept, and how one is drawn so that it is the same each time: with
// recorded answers, at a fixed moment, without motion, with the fonts that come with the page.
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../../testkit/until.js';
import { TestBrowser } from '../browser.js';
import { addressOf, isFixed, pages, type Places } from '../page-list.js';
import { compare, type Difference } from './compare.js';
import {
  baselineFolder,
  readRecording,
  RecordedServer,
  type Manner,
  type Recording,
} from './recorded-server.js';

/** What a picture shows of a page: with data, without, refused by the server, or still asking. */
export const states = ['full', 'empty', 'failed', 'loading'] as const;
export type State = (typeof states)[number];

const recordings = { full: 'full', empty: 'empty', failed: 'full', loading: 'full' } as const;
const manners: Readonly<Record<State, Manner>> = {
  ...{ full: 'recorded', empty: 'recorded', failed: 'refused', loading: 'waiting' },
};

export const widths = [1920, 390] as const;
export type Width = (typeof widths)[number];
export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Of a picture: what lies below is in another one, or a list that goes on alike. */
const heights: Readonly<Record<Width, number>> = { 1920: 1080, 390: 1200 };
const scales: Readonly<Record<Width, number>> = { 1920: 4, 390: 3 };
/** More than this of 255 in a block is another picture. */
export const differenceMax = 7;
/** How often one that differs is drawn again: it may have been drawn before it had settled. */
const drawnAgainMax = 20;

const host = 'downbeat.localhost';

/** Of those that are refused or still load, one of each kind: the note is the same in all. */
const kinds = [
  ...['executions/{failed}', 'definitions/ui_order', 'definition-editor?name=ui_order&version=1'],
  ...['task-definitions/ui_charge', 'queues/ui_ship', 'bulk-jobs/{job}', 'inbox/{human}'],
];
/** What shows no answer of the server. */
const silent = ['definition-editor', 'templates', 'nowhere'];

export function addressesOf(state: State): readonly string[] {
  const all: readonly string[] = pages.map(([address]) => address);
  if (state === 'full') return all;
  if (state === 'empty') return all.filter(isFixed);
  return all.filter(
    (address) => kinds.includes(address) || (isFixed(address) && !silent.includes(address)),
  );
}

/** Name of the file that keeps a picture, in the folder of its state. */
export function fileOf(state: State, address: string, width: Width, theme: Theme): string {
  const name = address.replace(/[{}]/g, '').replace(/[^\w-]+/g, '_') || 'overview';
  return path.join(baselineFolder, state, `${name}-${width}-${theme}.webp`);
}

export const readKept = (file: string): string | undefined =>
  fs.existsSync(file) ? fs.readFileSync(file).toString('base64') : undefined;

/** A browser that shows pages with the answers of a recording. */
export class PictureRoom {
  private constructor(
    readonly server: RecordedServer,
    readonly browser: TestBrowser,
    private readonly helper: Page,
  ) {}

  static of(state: State): Promise<PictureRoom> {
    return PictureRoom.with(readRecording(recordings[state]), manners[state]);
  }

  static async with(recording: Recording, manner: Manner): Promise<PictureRoom> {
    const server = await RecordedServer.start(recording);
    server.manner = manner;
    // Addresses are shown in the page: all have the same length.
    const map = `--host-resolver-rules=MAP ${host}:80 127.0.0.1:${server.port}`;
    const browser = await TestBrowser.launch([map, '--font-render-hinting=none']);
    const helper = await browser.open('about:blank');
    return new PictureRoom(server, browser, helper);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  /** A tab of a width. */
  async open(width: Width): Promise<Page> {
    const page = await this.browser.open('about:blank', { width, reducedMotion: true });
    await page.setViewportSize({ width, height: heights[width] });
    await page.clock.setFixedTime(this.server.recording.at);
    await page.addInitScript(sameEachTime);
    return page;
  }

  async show(page: Page, address: string): Promise<void> {
    const { places } = this.server.recording;
    const filled = places === undefined ? address : addressOf(address, places as Places);
    await page.goto(`http://${host}/${filled}`);
    await page.locator('h1, [role=alert]').first().waitFor({ state: 'attached' });
    await this.#settle(page);
  }

  /** The page as it is now: PNG at its full size. */
  async draw(page: Page, theme: Theme): Promise<Buffer> {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(drawn);
    return await page.screenshot({ animations: 'disabled', caret: 'hide' });
  }

  /** How the page differs from the picture that was kept, once it has settled. */
  async compare(page: Page, theme: Theme, kept: string): Promise<Difference> {
    let least = await this.compareOnce(page, theme, kept);
    for (let again = 0; again < drawnAgainMax && least.most > differenceMax; again += 1) {
      await this.#settle(page);
      const found = await this.compareOnce(page, theme, kept);
      if (found.most < least.most) least = found;
    }
    return least;
  }

  /** How the page differs as it is now. */
  async compareOnce(page: Page, theme: Theme, kept: string): Promise<Difference> {
    const scale = scales[(page.viewportSize()?.width ?? 1920) as Width];
    return await compare(this.helper, await this.draw(page, theme), { scale, kept });
  }

  /** The picture to keep: one that was the same twice. */
  async take(page: Page, theme: Theme): Promise<{ readonly shot: Buffer; readonly small: string }> {
    const scale = scales[(page.viewportSize()?.width ?? 1920) as Width];
    let before = '';
    return await until('a page that stays as it is', async () => {
      const shot = await this.draw(page, theme);
      const { small } = await compare(this.helper, shot, { scale });
      const isSame = small === before;
      before = small;
      await this.#settle(page);
      return isSame ? { shot, small } : undefined;
    });
  }

  async #settle(page: Page): Promise<void> {
    await page.evaluate(drawn);
    await until('all answers', () => Promise.resolve(this.server.isQuiet || undefined));
    const condition = { recorded: isSettled, waiting: isWaiting, refused: 'true' };
    await until('a page that is there', () =>
      page.evaluate<boolean>(condition[this.server.manner]),
    );
    await page.evaluate(drawn);
  }
}

/** Runs in the browser, before the page: numbers of requests are shown where one was refused. */
const sameEachTime = `crypto.randomUUID = () => '5b6f0c4e-27a1-4d83-9c11-0f2d6f3e8a90';
  Math.random = () => 0.5;`;

/** Runs in the browser: fonts are there, and what was changed is drawn. */
const drawn = `(async () => {
  await document.fonts.ready;
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (let frames = 0; frames < 3; frames += 1) await frame();
})()`;

/** Runs in the browser: the page has got what it asked for. */
const isSettled = `document.querySelector('main, .sign-in') !== null &&
  document.querySelector('.skeleton') === null`;

/** Runs in the browser: grey bars, or a page that is there without an answer. */
const isWaiting = `document.querySelector('main') !== null &&
  (document.querySelector('.skeleton') !== null || document.querySelector('main').children.length > 1)`;
