// Splits a text into chunks of at most so many characters, at the best place near their ends:
// between paragraphs, else sentences, else words.

export interface ChunkSize {
  /** Characters of a chunk; 1 or more. */
  readonly size: number;
  /** Characters that a chunk repeats of the one before it; fewer than half of `size` count. */
  readonly overlap: number;
}

/** Places to cut after, the best first. */
const breaks = ['\n\n', '\n', '. ', '! ', '? ', ' '];

export function chunksOf(text: string, { size, overlap }: ChunkSize): string[] {
  const step = Math.min(overlap, Math.floor(size / 2));
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOf(text, start, size);
    const chunk = text.slice(start, end).trim();
    if (chunk !== '') chunks.push(chunk);
    if (end === text.length) break;
    start = Math.max(end - step, start + 1);
  }
  return chunks;
}

/** In the later half of the chunk, so that chunks do not become many and tiny. */
function endOf(text: string, start: number, size: number): number {
  const end = start + size;
  if (end >= text.length) return text.length;
  for (const mark of breaks) {
    const at = text.lastIndexOf(mark, end - mark.length);
    if (at >= start + size / 2) return at + mark.length;
  }
  // Not between the halves of one character.
  return isLowSurrogate(text.charCodeAt(end)) && size > 1 ? end - 1 : end;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
