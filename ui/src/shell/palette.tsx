// The command palette: pages, definitions, and executions by their id.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState, type ReactElement } from 'react';
import { ask } from '../api/client';
import { Dialog } from '../design/controls';
import { useServed } from '../state/features';
import type { View } from '../state/view';
import { sectionGroups } from './sections';

const shownMax = 50;

/** Definitions that can be meant; the palette itself sorts what it is given. */
function fitting(names: readonly string[], text: string): readonly string[] {
  const typed = text.toLowerCase().split(/\s+/);
  const isVerb = (word: string): boolean => 'run'.startsWith(word) || 'definition'.startsWith(word);
  const words = typed.filter((word, index) => index > 0 || !isVerb(word));
  const all = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  return all.slice(0, shownMax);
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
  return (
    <Dialog title="Find" onClose={onClose}>
      <Command label="Find" className="palette">
        <Command.Input value={text} onValueChange={setText} placeholder="Page, definition or id" />
        <Command.List>
          <Command.Empty>Nothing found.</Command.Empty>
          {isId && (
            <Command.Item value={text} onSelect={() => go(`/executions/${text.trim()}`)}>
              Open execution {text.trim()}
            </Command.Item>
          )}
          {sectionGroups
            .flatMap(({ sections }) => sections)
            .filter(({ needs }) => needs === undefined || isServed(needs))
            .map(({ title, to }) => (
              <Command.Item key={to} onSelect={() => go(to)}>
                {title}
              </Command.Item>
            ))}
          {fitting(names.data ?? [], text).flatMap((name) => [
            <Command.Item key={`run ${name}`} onSelect={() => go('/run', { name })}>
              Run {name}
            </Command.Item>,
            <Command.Item
              key={`definition ${name}`}
              onSelect={() => go(`/definitions/${encodeURIComponent(name)}`)}
            >
              Definition {name}
            </Command.Item>,
          ])}
        </Command.List>
      </Command>
    </Dialog>
  );
}
