// The header fields of an answer, as both HTTP servers send them. A value that holds anything but
// printable characters could end the header and begin another one, or a body, so the answer is
// replaced whole: a value that comes from a user must be checked where it is taken, and one that
// was not is a defect.
import { refusals } from './http-limits.js';
import type { ApiResponse } from './http-server.js';

/** RFC 9110 section 5.5, without what is not ASCII: libraries encode that differently. */
const fieldValue = /^[\t\x20-\x7e]*$/;
const fieldName = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The answer, or the answer to a defect where a header field of it cannot be sent. */
export function sendable(answer: ApiResponse): ApiResponse {
  const { contentType, headers, cookies } = answer;
  if (contentType !== undefined && !fieldValue.test(contentType)) return refusals.internal;
  if (headers !== undefined) {
    for (const name in headers) {
      if (!fieldValue.test(headers[name] as string) || !fieldName.test(name)) {
        return refusals.internal;
      }
    }
  }
  if (cookies?.every((cookie) => fieldValue.test(cookie)) === false) return refusals.internal;
  return answer;
}
