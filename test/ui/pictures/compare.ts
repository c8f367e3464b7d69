// Compares a picture of a page with the one that was kept, in the browser's canvas. Both are made
// small (each pixel the mean of several), so that how a machine smooths letters hardly shows; then
// they are compared in blocks. What differs in one block, such as a button that has moved or a word
// that is another one, counts as much as what differs everywhere.
import type { Page } from 'playwright-core';

export interface Difference {
  /** Of the block that differs most: the mean over its pixels, 0 to 255. */
  readonly most: number;
  /** Where that block is, in CSS pixels of the page. */
  readonly at: { readonly x: number; readonly y: number };
  /** The picture as it would be kept: WebP, base64. */
  readonly small: string;
}

/** Width and height of a block of the small picture, pixels. */
const blockPixels = 6;

export interface CompareOptions {
  /** How many pixels of the page are one of the small picture, each way. */
  readonly scale: number;
  /** WebP as it was kept, base64; absent: there is none yet. */
  readonly kept?: string;
}

/** `helper`: any page of the browser; `shot`: PNG of the page at its full size. */
export async function compare(
  helper: Page,
  shot: Buffer,
  { scale, kept = '' }: CompareOptions,
): Promise<Difference> {
  const given = JSON.stringify({ shot: shot.toString('base64'), scale, kept, blockPixels });
  return await helper.evaluate<Difference>(`(${compareInBrowser})(${given})`);
}

/** Runs in the browser. */
const compareInBrowser = `async ({ shot, scale, kept, blockPixels }) => {
  const read = async (base64, type) =>
    createImageBitmap(await (await fetch('data:' + type + ';base64,' + base64)).blob());
  const drawn = (image, width, height) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    return { canvas, pixels: () => context.getImageData(0, 0, width, height).data };
  };
  const base64Of = async (blob) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 8192)
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };
  const large = await read(shot, 'image/png');
  const width = Math.round(large.width / scale);
  const height = Math.round(large.height / scale);
  const blob = await drawn(large, width, height).canvas.convertToBlob({
    type: 'image/webp',
    quality: 0.7,
  });
  const small = await base64Of(blob);
  if (kept === '') return { most: 255, at: { x: 0, y: 0 }, small };
  // Both as the compression leaves them.
  const [now, before] = [await read(small, 'image/webp'), await read(kept, 'image/webp')];
  if (now.width !== before.width || now.height !== before.height)
    return { most: 255, at: { x: 0, y: 0 }, small };
  const a = drawn(now, width, height).pixels();
  const b = drawn(before, width, height).pixels();
  let most = 0;
  let place = { x: 0, y: 0 };
  for (let top = 0; top < height; top += blockPixels) {
    for (let left = 0; left < width; left += blockPixels) {
      let sum = 0;
      let count = 0;
      for (let y = top; y < Math.min(top + blockPixels, height); y += 1) {
        for (let x = left; x < Math.min(left + blockPixels, width); x += 1) {
          const at = 4 * (y * width + x);
          for (let channel = 0; channel < 3; channel += 1)
            sum += Math.abs(a[at + channel] - b[at + channel]);
          count += 3;
        }
      }
      if (sum / count > most) {
        most = sum / count;
        place = { x: left * scale, y: top * scale };
      }
    }
  }
  return { most, at: place, small };
}`;
