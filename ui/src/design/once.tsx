// A value that the server shows once, such as the secret of a new key: to copy, each part by
// itself.
import { useState, type ReactElement } from 'react';

interface OnceProps {
  readonly title: string;
  readonly parts: readonly (readonly [name: string, text: string])[];
}

export function Once({ title, parts }: OnceProps): ReactElement {
  const [copied, setCopied] = useState('');
  return (
    <section className="once" role="status" aria-label={title}>
      <h3>{title}</h3>
      <p className="quiet">It is shown this one time and cannot be read again.</p>
      {parts.map(([name, text]) => (
        <div key={name} className="stack-tight">
          <small className="quiet">{name}</small>
          <div className="command">
            <code>{text}</code>
            <button
              type="button"
              className="button plain"
              aria-label={`Copy ${name.toLowerCase()}`}
              onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(name))}
            >
              {copied === name ? 'Copied' : 'Copy'}
            </button>
          </div>
        </div>
      ))}
    </section>
  );
}
