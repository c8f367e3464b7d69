// Tells the server of errors of the page itself, so that whoever runs it sees them at /metrics
// without asking the people at their browsers.
import { basePath } from './client';
import type { PageError } from './types';

/** An error may come again and again. */
const reportsMax = 10;
/** Browsers report it where a size changes while it is measured; nothing is wrong. */
const harmless = /^ResizeObserver loop/;

export function reportErrors(): void {
  const known = new Set<string>();
  const report = (error: Omit<PageError, 'path'>): void => {
    const text = `${error.kind} ${error.message} ${error.source ?? ''}`;
    if (known.size >= reportsMax || known.has(text) || harmless.test(error.message)) return;
    known.add(text);
    send({ ...error, path: location.pathname });
  };
  addEventListener('error', ({ message, filename, lineno, colno }) => {
    if (message !== '') {
      report({ kind: 'script', message, source: `${filename}:${lineno}:${colno}` });
    }
  });
  addEventListener('unhandledrejection', ({ reason }: PromiseRejectionEvent) => {
    report({ kind: 'promise', message: String(reason) });
  });
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    report({ kind: 'policy', message: effectiveDirective, source: blockedURI });
  });
}

function send(error: PageError): void {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(error),
    keepalive: true,
  };
  // A server that is away, or that does not know the caller, counts nothing.
  fetch(`${basePath}api/page-errors`, options).catch(() => undefined);
}
