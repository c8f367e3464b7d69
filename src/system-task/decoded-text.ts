// Bytes of the outside world as text.

/** Decoded by the charset of this name, UTF-8 where it is empty or nobody knows it. */
export function decodedText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset || 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // A charset nobody knows.
  }
}

/** The charset that a content type names; empty for none. */
export function charsetOf(contentType: string): string {
  return /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? '';
}
