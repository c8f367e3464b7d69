// The shape of a view stands in the URL: its search parameters as plain texts.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';

export type View = Readonly<Record<string, string>>;
/** Sets parameters; '' removes one. `replace`: no entry in the browser's history. */
export type ChangeView = (changes: View, replace?: boolean) => void;

export function parseView(search: string): View {
  return Object.fromEntries(new URLSearchParams(search));
}

export function viewText(view: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(view)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Rows before the first one shown; what is no such number counts as none. */
export function startOf(view: View): number {
  return Math.max(0, Math.trunc(Number(view['start'])) || 0);
}

export function useView(): readonly [View, ChangeView] {
  const view = useSearch({ strict: false }) as View;
  const navigate = useNavigate();
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
  });
  // The same function at each render: what holds it is not drawn again.
  const change = useCallback<ChangeView>(
    (changes, replace = false) => {
      // It is the same page: what one looks at stays where it is.
      const stay = { to: '.', resetScroll: false } as const;
      void navigate({ ...stay, search: { ...latest.current, ...changes } as never, replace });
    },
    [navigate],
  );
  return [view, change];
}
