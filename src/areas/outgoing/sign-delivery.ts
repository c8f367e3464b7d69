// Signatures of deliveries, as the public convention "Standard Webhooks" has them: HMAC-SHA-256
// over id, moment and body, joined by dots. The moment lets a receiver refuse what was recorded and
// is sent again; the id lets it pass over what it has already dealt with.
import { createHmac } from 'node:crypto';

/** `atSeconds`: Unix time of the attempt; `body`: exactly the bytes that are sent. */
export function signatureHeaders(
  key: Buffer,
  {
    id,
    atSeconds,
    body,
  }: { readonly id: string; readonly atSeconds: number; readonly body: string },
): [string, string][] {
  const digest = createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64');
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(atSeconds)],
    ['webhook-signature', `v1,${digest}`],
  ];
}
