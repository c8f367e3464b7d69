// The menu that copies the request behind a page, as a command or as code.
import { DropdownMenu } from 'radix-ui';
import { useEffect, useState, type ReactElement } from 'react';
import { copyTexts, type Call } from '../api/copy-as';
import { Icon } from './icon';
import { useFeatures } from '../state/features';

const shownMs = 1500;

/** Open when it first stands there. */
export function CopyMenu({ call }: { readonly call: Call }): ReactElement {
  const [copied, setCopied] = useState('');
  const [isOpen, setIsOpen] = useState(true);
  const isSignedIn = (useFeatures()?.user.id ?? '') !== '';
  useEffect(() => {
    if (copied === '') return;
    const timer = setTimeout(() => setCopied(''), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const texts = isOpen ? copyTexts(call, isSignedIn) : [];
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={setIsOpen}>
      <DropdownMenu.Trigger className="button bare">
        <Icon name="code" className="s" />
        {copied === '' ? 'Copy as' : copied}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end">
          {[...texts].map(([form, text]) => (
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
