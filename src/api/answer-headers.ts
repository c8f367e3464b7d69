// The header fields of an answer, as both HTTP servers send them. A value that holds anything but
// printable characters could end the header and begin another one, or a body, so the answer is
// replaced whole: a value that comes from a user must be checked where it is taken, and one that
// was not is a defect.
import { refusals } from './http-limits.js';
import type { ApiResponse } from './http-server.js';
import { isField, isFieldValue } from './shared-headers.js';

/** The answer, or the answer to a defect where a header field of it cannot be sent. */
export function sendable(answer: ApiResponse): ApiResponse {
  const { contentType, headers, requestId, cookies } = answer;
  if (contentType !== undefined && !isFieldValue(contentType)) return refusals.internal;
  if (requestId !== undefined && !isFieldValue(requestId)) return refusals.internal;
  if (headers !== undefined) {
    for (const name in headers) {
      if (!isField(name, headers[name] as string)) return refusals.internal;
    }
  }
  if (cookies?.every(isFieldValue) === false) return refusals.internal;
  return answer;
}
