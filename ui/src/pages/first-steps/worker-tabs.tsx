// The worker in one of four languages: how to get the SDK, the programme, how to run it, each to
// copy.
import { useState, type ReactElement } from 'react';
import { basePath } from '../../api/client';
import { Button } from '../../design/controls';
import { Icon } from '../../design/icon';
import { keep, kept } from '../../state/browser-store';
import { languages, workerCode, type Language, type WaitingTask } from './worker-code';

const languageKey = 'downbeat.language';
/** Address of the server, without a slash at its end. */
const server = new URL(basePath, location.origin).href.replace(/\/$/, '');

export function WorkerTabs({ task }: { readonly task: WaitingTask }): ReactElement {
  const [language, choose] = useState<Language>(
    () => languages.find((each) => each === kept(languageKey)) ?? 'JavaScript',
  );
  const { file, program, install, run } = workerCode(language, task, server);
  return (
    <div className="stack">
      <div className="segments" role="group" aria-label="Language">
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === language}
            onClick={() => {
              choose(each);
              keep(languageKey, each);
            }}
          >
            {each}
          </button>
        ))}
      </div>
      <CopyPart key={`install ${language}`} title="Once, in a folder of its own" text={install} />
      <CopyPart key={`program ${language}`} title={file} text={program} isMain />
      <CopyPart key={`run ${language}`} title="Start it" text={run} />
    </div>
  );
}

interface CopyPartProps {
  readonly title: string;
  readonly text: string;
  readonly isMain?: boolean;
}

function CopyPart({ title, text, isMain = false }: CopyPartProps): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <section className="copy-part" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <Button
          look={isMain ? 'main' : 'plain'}
          label={`Copy ${title}`}
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          <Icon name={isCopied ? 'check' : 'copy'} className="s" />
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </header>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
