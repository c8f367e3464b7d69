// Links between pages.
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { View } from '../state/view';

interface PageLinkProps {
  readonly to: string;
  readonly view?: View;
  readonly className?: string;
  readonly title?: string;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

/** A link to an address of the page; without `view` the other page begins afresh. */
export function PageLink({ to, view = {}, children, ...shown }: PageLinkProps): ReactElement {
  return (
    <Link to={to} search={view as never} {...shown}>
      {children}
    </Link>
  );
}
