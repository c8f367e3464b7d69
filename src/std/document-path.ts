// Names of files in what users write.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of a `file:` address or an absolute path; undefined when the text is neither. */
export function documentPath(location: string): string | undefined {
  if (location.startsWith('file:')) {
    if (!URL.canParse(location)) return undefined;
    const url = new URL(location);
    return url.host === '' ? fileURLToPath(url) : undefined;
  }
  return path.isAbsolute(location) ? location : undefined;
}
