// The command palette: pages, definitions, and executions as the search box of their list finds
// them: by words, ids, business keys, filters and the grammar.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useEffect, useState, type ReactElement } from 'react';
import { ask } from '../api/client';
import { Dialog } from '../design/controls';
import { StatusMark } from '../design/status';
import { useServed } from '../state/features';
import { shortId } from '../state/format';
import { searchExecutions } from '../state/search';
import { understood } from '../state/understand';
import type { View } from '../state/view';
import { useSectionGroups } from './sections';

const shownMax = 50;
const foundMax = 5;
/** A search begins when nothing has been typed for so long. */
const typingMs = 250;
/** Fewer letters are not searched for. */
const typedMin = 3;

/** Whether a line holds each word that is typed. */
function fits(line: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/);
  return words.every((word) => line.toLowerCase().includes(word));
}

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const isServed = useServed();
  const names = useQuery({
    queryKey: ['definition-names'],
    queryFn: () => ask<string[]>('/api/metadata/workflow/names'),
  });
  const go = (to: string, view: View = {}): void => {
    onClose();
    void navigate({ to, search: view as never });
  };
  const isId = /^[0-9a-f-]{36}$/.test(text.trim());
  const pages = useSectionGroups()
    .flatMap(({ sections }) => sections)
    .filter(({ title, needs }) => (needs === undefined || isServed(needs)) && fits(title, text));
  const definitions = (names.data ?? [])
    .flatMap((name) => [
      { line: `Run ${name}`, act: () => go('/run', { name }) },
      { line: `Definition ${name}`, act: () => go(`/definitions/${encodeURIComponent(name)}`) },
    ])
    .filter(({ line }) => fits(line, text))
    .slice(0, shownMax);
  return (
    <Dialog title="Find" onClose={onClose}>
      <Command label="Find" className="palette" shouldFilter={false}>
        <Command.Input value={text} onValueChange={setText} placeholder={placeholder} />
        <Command.List>
          {isId && (
            <Command.Item value={text} onSelect={() => go(`/executions/${text.trim()}`)}>
              Open execution {text.trim()}
            </Command.Item>
          )}
          {pages.map(({ title, to }) => (
            <Command.Item key={to} onSelect={() => go(to)}>
              {title}
            </Command.Item>
          ))}
          {definitions.map(({ line, act }) => (
            <Command.Item key={line} onSelect={act}>
              {line}
            </Command.Item>
          ))}
          {!isId && <FoundExecutions typed={text.trim()} go={go} />}
        </Command.List>
      </Command>
    </Dialog>
  );
}

const placeholder = 'Page, definition, id, business key or words';

interface FoundExecutionsProps {
  readonly typed: string;
  readonly go: (to: string, view?: View) => void;
}

/** Executions that fit what is typed, and the way to all of them. */
function FoundExecutions({ typed, go }: FoundExecutionsProps): ReactElement | null {
  const settled = useSettled(typed);
  const view = understood(settled, {});
  const found = useQuery({
    queryKey: ['palette', view],
    queryFn: ({ signal }) => searchExecutions(view, signal, foundMax),
    enabled: settled.length >= typedMin,
    retry: false,
  });
  if (typed.length < typedMin) return null;
  // Results of an earlier text are not offered for this one.
  const results = settled === typed ? found.data?.results : undefined;
  return (
    <Command.Group heading="Executions">
      {results?.map(({ workflowId, workflowType, correlationId, status }) => (
        <Command.Item
          key={workflowId}
          value={workflowId}
          onSelect={() => go(`/executions/${workflowId}`)}
        >
          <StatusMark status={status} /> <b>{correlationId ?? shortId(workflowId)}</b>{' '}
          {workflowType}
        </Command.Item>
      ))}
      {results?.length === 0 && <p className="quiet">No execution fits.</p>}
      {found.error !== null && <p role="alert">{found.error.message}</p>}
      <Command.Item
        value={`search ${typed}`}
        onSelect={() => go('/executions', understood(typed, {}))}
      >
        Search executions for {typed}
      </Command.Item>
    </Command.Group>
  );
}

/** The text as it stands once the typing pauses. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
