// Addresses of records that stand beside their list: the list stays as it is, with its filter, its
// order and its place.
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useView, type View } from '../state/view';

interface BesideLinkProps {
  readonly to: string;
  /** Parameters of its address, beside those of the list. */
  readonly view?: View;
  readonly children: ReactNode;
}

export function BesideLink({ to, view: own = {}, children }: BesideLinkProps): ReactElement {
  const [view] = useView();
  return (
    <Link to={to} search={{ ...view, ...own } as never} resetScroll={false}>
      {children}
    </Link>
  );
}

/** Opens such an address, or the list alone. */
export function useBeside(): (to: string, own?: View) => void {
  const [view] = useView();
  const navigate = useNavigate();
  return (to, own = {}) =>
    void navigate({ to, search: { ...view, ...own } as never, resetScroll: false });
}
