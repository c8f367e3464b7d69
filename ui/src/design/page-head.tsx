// The head of a page: its title, its actions and the request behind it to copy.
import { DropdownMenu } from 'radix-ui';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import type { Call } from '../api/copy-as';
import { Icon } from './icon';
import { useFeatures } from '../state/features';

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

const shownMs = 1500;

/** Copies the request as a command or as code; the texts are made when the menu opens. */
export function CopyAs({ call }: { readonly call: Call }): ReactElement {
  const [copied, setCopied] = useState('');
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>();
  const isSignedIn = (useFeatures()?.user.id ?? '') !== '';
  useEffect(() => {
    if (copied === '') return;
    const timer = setTimeout(() => setCopied(''), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const prepare = async (isOpen: boolean): Promise<void> => {
    if (!isOpen) return;
    const { copyTexts } = await import('../api/copy-as');
    setTexts(copyTexts(call, isSignedIn));
  };
  return (
    <DropdownMenu.Root modal={false} onOpenChange={(isOpen) => void prepare(isOpen)}>
      <DropdownMenu.Trigger className="button bare">
        <Icon name="code" className="s" />
        {copied === '' ? 'Copy as' : copied}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end">
          {[...(texts ?? [])].map(([form, text]) => (
            <DropdownMenu.Item
              key={form}
              onSelect={() => {
                navigator.clipboard.writeText(text).then(
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
