// A pane beside a list: one of its records, or the form of one. What one came from stays in sight,
// and keys go on moving in it; in a window without room for both the pane takes its place.
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import { Icon } from './icon';

interface BesideProps {
  readonly children: ReactNode;
  /** The open pane; absent: the list has all the room. */
  readonly pane: ReactNode;
}

export function Beside({ children, pane }: BesideProps): ReactElement {
  const isOpen = pane !== undefined && pane !== null && pane !== false;
  return (
    <div className="beside" data-open={isOpen}>
      <div className="beside-list">{children}</div>
      {isOpen && pane}
    </div>
  );
}

interface PaneProps {
  readonly title: string;
  /** A word for it, below its title. */
  readonly about?: string;
  readonly onClose: () => void;
  /** Beside its title. */
  readonly actions?: ReactNode;
  /** It is opened to type into it: its first field has the focus, Escape does not close it. */
  readonly isForm?: boolean;
  /** Something has been typed that is not saved: Escape does not close it. */
  readonly holdsText?: boolean;
  readonly children: ReactNode;
}

export function Pane(props: PaneProps): ReactElement {
  const { title, about, actions, onClose, isForm = false, holdsText = false, children } = props;
  const pane = useRef<HTMLElement>(null);
  const close = (): void => {
    const list = document.querySelector<HTMLElement>('.beside-list [role=table]');
    onClose();
    list?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const { current } = pane;
    if (current === null) return;
    current.scrollTop = 0;
    const field = isForm ? current.querySelector<HTMLElement>(fields) : null;
    if (field !== null) field.focus({ preventScroll: true });
    else if (document.activeElement?.closest('[role=table]') == null) {
      current.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
    }
  }, [title, isForm]);
  useEffect(() => {
    if (isForm || holdsText) return;
    const leave = (event: KeyboardEvent): void => {
      const isTaken = document.querySelector('[role=dialog], [role=menu]') !== null;
      if (event.key === 'Escape' && !isTaken && !event.defaultPrevented) close();
    };
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  });
  return (
    <aside className="side-pane" aria-label={title} ref={pane}>
      <header>
        <div className="grow">
          <h2 tabIndex={-1}>{title}</h2>
          {about !== undefined && <p className="quiet">{about}</p>}
        </div>
        {actions}
        <button type="button" className="button bare only-icon" aria-label="Close" onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      <div className="stack">{children}</div>
    </aside>
  );
}

const fields = 'input:not([type=checkbox]), textarea, select, input';
