// How content that callers have stored is sent: as something to be saved, never shown. Scripts in
// it would run on this server's origin, with the session of the person who opens it. So browsers
// are told to save it, to believe its type, and to run nothing in it (docs/access.md, Answers).

/** Of every answer that is content of callers. */
export const downloadHeaders = {
  'Content-Disposition': 'attachment',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
} as const;
