// A status: shape, word and colour, never colour alone.
import type { ReactElement } from 'react';

const shapes: Readonly<Record<string, string>> = {
  running: 'M1 1l8 4-8 4z',
  completed: 'M1 5l3 3 5-6',
  failed: 'M1 1l8 8M9 1l-8 8',
  'timed-out': 'M1 1h8l-8 8h8z',
  paused: 'M3 1v8M7 1v8',
  terminated: 'M1 1h8v8h-8z',
  waiting: 'M5 1a4 4 0 1 0 .01 0z',
};

const kinds: Readonly<Record<string, keyof typeof shapes>> = {
  RUNNING: 'running',
  IN_PROGRESS: 'running',
  COMPLETED: 'completed',
  COMPLETED_WITH_ERRORS: 'timed-out',
  FAILED: 'failed',
  FAILED_WITH_TERMINAL_ERROR: 'failed',
  TIMED_OUT: 'timed-out',
  PAUSED: 'paused',
  TERMINATED: 'terminated',
  CANCELED: 'terminated',
  SKIPPED: 'terminated',
  SCHEDULED: 'waiting',
};

export function statusKind(status: string): string {
  return kinds[status] ?? 'waiting';
}

export function statusWord(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface StatusProps {
  readonly status: string;
  /** Instead of the status. */
  readonly word?: string;
}

export function Status({ status, word = statusWord(status) }: StatusProps): ReactElement {
  const kind = statusKind(status);
  return (
    <span className="status" data-kind={kind}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        <path d={shapes[kind]} />
      </svg>
      {word}
    </span>
  );
}
