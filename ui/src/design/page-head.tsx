// The head of a page: its title, its actions and the request behind it to copy.
import { DropdownMenu } from 'radix-ui';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { copyAs, copyForms, type Call } from '../api/copy-as';

interface PageHeadProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** The request whose answer the page shows. */
  readonly call?: Call;
}

export function PageHead({ title, aside, actions, call }: PageHeadProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Downbeat`;
  }, [title]);
  return (
    <header className="page-head">
      <h1>{title}</h1>
      {aside}
      <div className="row end grow">
        {actions}
        {call !== undefined && <CopyAs call={call} />}
      </div>
    </header>
  );
}

const shownMs = 1500;

export function CopyAs({ call }: { readonly call: Call }): ReactElement {
  const [copied, setCopied] = useState('');
  useEffect(() => {
    if (copied === '') return;
    const timer = setTimeout(() => setCopied(''), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button plain">
        {copied === '' ? 'Copy as' : copied}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end">
          {copyForms.map((form) => (
            <DropdownMenu.Item
              key={form}
              onSelect={() => {
                navigator.clipboard.writeText(copyAs(form, call)).then(
                  () => setCopied(`Copied ${form}`),
                  () => setCopied('The browser refused'),
                );
              }}
            >
              {form}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
