// The head of a page: its title, its actions and the request behind it to copy.
import { lazy, Suspense, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import type { Call } from '../api/copy-as';
import { Icon } from './icon';

const CopyMenu = lazy(() =>
  import('./copy-menu').then(({ CopyMenu: component }) => ({ default: component })),
);

interface PageHeadProps {
  readonly title: string;
  /** In front of the title. */
  readonly before?: ReactNode;
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** The request whose answer the page shows. */
  readonly call?: Call;
}

export function PageHead({ title, before, aside, actions, call }: PageHeadProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Downbeat`;
  }, [title]);
  return (
    <header className="page-head">
      {before}
      <h1>{title}</h1>
      {aside}
      <div className="row end grow">
        {call !== undefined && <CopyAs call={call} />}
        {actions}
      </div>
    </header>
  );
}

/** Copies the request as a command or as code. Its menu is loaded when it is first opened. */
export function CopyAs({ call }: { readonly call: Call }): ReactElement {
  const [isOpened, setIsOpened] = useState(false);
  const closed = (
    <button
      type="button"
      className="button bare"
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setIsOpened(true)}
      onKeyDown={({ key }) => {
        if (key === 'ArrowDown') setIsOpened(true);
      }}
    >
      <Icon name="code" className="s" />
      Copy as
    </button>
  );
  if (!isOpened) return closed;
  return (
    <Suspense fallback={closed}>
      <CopyMenu call={call} />
    </Suspense>
  );
}
