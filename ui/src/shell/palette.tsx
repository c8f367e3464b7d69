// The command palette: pages, definitions, and executions by their id.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState, type ReactElement } from 'react';
import { ask } from '../api/client';
import { Dialog } from '../design/controls';
import { useServed } from '../state/features';
import { sectionGroups } from './sections';

const shownMax = 50;

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const isServed = useServed();
  const names = useQuery({
    queryKey: ['definition-names'],
    queryFn: () => ask<string[]>('/api/metadata/workflow/names'),
  });
  const go = (to: string): void => {
    onClose();
    void navigate({ to });
  };
  const isId = /^[0-9a-f-]{36}$/.test(text.trim());
  return (
    <Dialog title="Find" onClose={onClose}>
      <Command label="Find" className="palette">
        <Command.Input value={text} onValueChange={setText} placeholder="Page, definition or id" />
        <Command.List>
          <Command.Empty>Nothing is called so.</Command.Empty>
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
          {(names.data ?? []).slice(0, shownMax).flatMap((name) => [
            <Command.Item
              key={`run ${name}`}
              onSelect={() => go(`/run?name=${encodeURIComponent(name)}`)}
            >
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
