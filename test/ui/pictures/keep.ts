// Draws the pictures that tests compare and keeps them: `npm run screenshots -- --baseline`, with
// `--record` after asking a filled and an empty server anew. Each is also written at its full size,
// to be looked at.
import fs from 'node:fs';
import path from 'node:path';
import { pause } from '../../../testkit/until.js';
import { buildPage } from '../browser.js';
import { PageFixture } from '../fixture.js';
import { fillServer } from '../full-server.js';
import { addressesOf, fileOf, PictureRoom, states, themes, widths, type State } from './plan.js';
import { baselineFolder, notRecorded, writeRecording, type Recording } from './recorded-server.js';

export interface KeepOptions {
  /** Whether answers are recorded anew. */
  readonly record: boolean;
  /** Folder for pictures at their full size. */
  readonly out: string;
  /** Whether a picture is wanted, by its state and name. */
  readonly isWanted: (name: string) => boolean;
}

export async function keepPictures({ record, out, isWanted }: KeepOptions): Promise<void> {
  buildPage();
  if (record) await recordAll();
  for (const state of states) {
    const wanted = addressesOf(state).filter((address) =>
      widths.some((width) => isWanted(nameIn(fileOf(state, address, width, 'light')))),
    );
    if (wanted.length > 0) await keep(state, wanted, { out, isWanted });
  }
}

const nameIn = (file: string): string =>
  path.relative(baselineFolder, file).replace(path.sep, '-').replace('.webp', '');

async function keep(
  state: State,
  addresses: readonly string[],
  { out, isWanted }: Pick<KeepOptions, 'out' | 'isWanted'>,
): Promise<void> {
  const room = await PictureRoom.of(state);
  fs.mkdirSync(path.join(baselineFolder, state), { recursive: true });
  fs.mkdirSync(out, { recursive: true });
  try {
    for (const width of widths) {
      const page = await room.open(width);
      for (const address of addresses) {
        if (!isWanted(nameIn(fileOf(state, address, width, 'light')))) continue;
        await room.show(page, address);
        for (const theme of themes) {
          const file = fileOf(state, address, width, theme);
          const { shot, small } = await room.take(page, theme);
          fs.writeFileSync(file, Buffer.from(small, 'base64'));
          fs.writeFileSync(path.join(out, `${nameIn(file)}.png`), shot);
        }
      }
      await page.context().close();
    }
    if (room.server.unknown.size > 0) throw new Error(notRecorded(room.server.unknown));
  } finally {
    await room.stop();
  }
}

/** How long after it is there a page may ask for more, ms. */
const laterMs = 1500;

/** Asks real servers all that the pages ask, at one moment. */
async function recordAll(): Promise<void> {
  for (const state of ['full', 'empty'] as const) {
    const fixture = await PageFixture.start('', ['--queue-sample-seconds', '1']);
    try {
      const places = state === 'full' ? await fillServer(fixture) : undefined;
      const recording: Recording = { at: Date.now(), places, answers: {} };
      const room = await PictureRoom.with(recording, 'recorded');
      room.server.upstream = fixture.server.url;
      try {
        for (const width of widths) {
          const page = await room.open(width);
          for (const address of addressesOf(state)) {
            await room.show(page, address);
            // Some ask a moment later.
            await pause(laterMs);
            await room.take(page, 'light');
          }
          await page.context().close();
        }
      } finally {
        await room.stop();
      }
      writeRecording(state, recording);
    } finally {
      await fixture.stop();
    }
  }
}
