// A status: shape, word and colour, never colour alone.
import type { ReactElement } from 'react';
import type { IconName } from './icon';

export const statusKinds = [
  ...(['running', 'completed', 'failed', 'timed-out', 'paused', 'terminated', 'waiting'] as const),
] as const;
export type StatusKind = (typeof statusKinds)[number];

export const statusIcons: Readonly<Record<StatusKind, IconName>> = {
  running: 'st-run',
  completed: 'st-ok',
  failed: 'st-bad',
  'timed-out': 'st-late',
  paused: 'st-hold',
  terminated: 'st-end',
  waiting: 'st-wait',
};

const kinds: Readonly<Record<string, StatusKind>> = {
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

export function statusKind(status: string): StatusKind {
  return kinds[status] ?? 'waiting';
}

export function statusWord(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const disc = 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0-12 0z';
const ring = 'M2.7 8a5.3 5.3 0 1 0 10.6 0a5.3 5.3 0 1 0-10.6 0z';

/** Outlines and what is filled of them, as in the icons; drawn in place, for long tables. */
const shapes: Readonly<Record<StatusKind, { readonly fill?: string; readonly line?: string }>> = {
  running: { line: ring, fill: 'M8 2.7a5.3 5.3 0 0 1 0 10.6z' },
  completed: { fill: disc },
  failed: { fill: disc },
  'timed-out': { line: `${ring}M8 4.8V8l2.2 1.5` },
  paused: { line: `${ring}M6.5 6v4M9.5 6v4` },
  terminated: { line: ring, fill: 'M6 6h4v4h-4z' },
  waiting: { line: ring },
};
const knocked: Readonly<Partial<Record<StatusKind, string>>> = {
  completed: 'm5.3 8.2 1.9 1.9 3.6-3.9',
  failed: 'm5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4',
};

function Shape({ kind }: { readonly kind: StatusKind }): ReactElement {
  const { fill, line } = shapes[kind];
  const sign = knocked[kind];
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      {line !== undefined && <path d={line} />}
      {fill !== undefined && <path d={fill} className="filled" />}
      {sign !== undefined && <path d={sign} className="sign" />}
    </svg>
  );
}

interface StatusProps {
  readonly status: string;
  /** Instead of the status. */
  readonly word?: string;
  /** A pill on its own ground, for the head of a page. */
  readonly isChip?: boolean;
}

export function Status({
  status,
  word = statusWord(status),
  isChip = false,
}: StatusProps): ReactElement {
  const kind = statusKind(status);
  return (
    <span className={isChip ? 'status chip' : 'status'} data-kind={kind}>
      <Shape kind={kind} />
      {word}
    </span>
  );
}

/** The shape alone, where the word stands elsewhere in the row; the word is for screen readers. */
export function StatusMark({ status }: { readonly status: string }): ReactElement {
  const kind = statusKind(status);
  return (
    <span className="status" data-kind={kind} title={statusWord(status)}>
      <Shape kind={kind} />
      <span className="hidden-text">{statusWord(status)}</span>
    </span>
  );
}
