// Keys that work on every page.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLetters } from '../state/letter-keys';
import { sectionGroups } from './sections';

export interface ShortcutActions {
  readonly palette: () => void;
  readonly help: () => void;
}

const goWithinMs = 1500;
const sections = sectionGroups.flatMap((group) => group.sections);

export function useShortcuts({ palette, help }: ShortcutActions): void {
  const navigate = useNavigate();
  const goAt = useRef(0);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      palette();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [palette]);
  const goTo = Object.fromEntries(
    sections.flatMap(({ key, to }) => {
      if (key === undefined) return [];
      const go = (): void => {
        if (Date.now() - goAt.current < goWithinMs) void navigate({ to });
      };
      return [[key, go] as const];
    }),
  );
  useLetters({
    ...goTo,
    g: () => (goAt.current = Date.now()),
    '?': help,
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
}
