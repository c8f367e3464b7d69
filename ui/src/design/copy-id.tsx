// An id: its first signs, all of it to copy and as its title.
import { useState, type ReactElement } from 'react';
import { shortId } from '../state/format';
import { Icon } from './icon';

export function CopyId({ id }: { readonly id: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="copy-id"
      title={isCopied ? 'Copied' : `Copy ${id}`}
      onClick={() => void navigator.clipboard.writeText(id).then(() => setCopied(true))}
    >
      {shortId(id)}
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className="hidden-text">{isCopied ? 'copied' : `copy the id ${id}`}</span>
    </button>
  );
}
