// The body of routes that take one text: client libraries send it raw, as a JSON string, or as a
// JSON string's content, and the content type does not tell which (contract-admin 0.3).

/** The content of a JSON string; anything else as it is. */
export function textOf(body: string): string {
  if (!body.startsWith('"') || !body.endsWith('"') || body.length < 2) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? value : body;
  } catch {
    return body;
  }
}
