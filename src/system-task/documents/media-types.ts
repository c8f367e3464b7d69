// Media types by the endings of file names, and back.
import path from 'node:path';

const types: { readonly [ending: string]: string } = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.opus': 'audio/ogg',
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.pcm': 'audio/pcm',
  '.mp4': 'video/mp4',
};

/** Empty when the ending says nothing. */
export function mediaTypeOfName(name: string): string {
  return types[path.extname(name).toLowerCase()] ?? '';
}

/** With its dot; empty for a type without one. */
export function extensionOf(mediaType: string): string {
  return Object.entries(types).find(([, type]) => type === mediaType)?.[0] ?? '';
}
