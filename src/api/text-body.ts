// Bodies that are one string (contract-admin 0.3). Clients quote it as JSON or not, whatever their
// content type says: what is a JSON string counts as that string, anything else as it stands.

export function textOfBody(raw: string): string {
  if (raw.length < 2 || !raw.startsWith('"') || !raw.endsWith('"')) return raw;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'string' ? value : raw;
  } catch {
    return raw;
  }
}
