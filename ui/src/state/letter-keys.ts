// Keys without Ctrl or Alt: they can be switched off, and they do nothing while one types.
import { useEffect } from 'react';
import { keep, kept } from './browser-store';

const storageKey = 'downbeat.letter-keys';

export function areLettersOn(): boolean {
  return kept(storageKey) !== 'off';
}

export function setLetters(isOn: boolean): void {
  keep(storageKey, isOn ? 'on' : 'off');
}

export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="dialog"]') !== null)
  );
}

/** Runs an action for a letter, on pages that have one. */
export function useLetters(actions: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const action = areLettersOn() ? actions[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}
