// How dense tables are, kept in the browser. The heights are those of the style sheet (tokens.css).
import { useSyncExternalStore } from 'react';
import { keep, kept } from './browser-store';

const storageKey = 'downbeat.density';
const rowPixels = { wide: 36, compact: 30 } as const;
const twoLinePixels = { wide: 48, compact: 36 } as const;
const changes = new EventTarget();

function isCompact(): boolean {
  return kept(storageKey) === 'compact';
}

export function applyStoredDensity(): void {
  if (isCompact()) document.documentElement.dataset['density'] = 'compact';
  else delete document.documentElement.dataset['density'];
}

export function setCompact(isOn: boolean): void {
  keep(storageKey, isOn ? 'compact' : 'wide');
  applyStoredDensity();
  changes.dispatchEvent(new Event('change'));
}

export function useCompact(): boolean {
  return useSyncExternalStore(listen, isCompact);
}

/** Height of a row of a table. */
export function useRowPixels(hasTwoLines = false): number {
  const pixels = hasTwoLines ? twoLinePixels : rowPixels;
  return pixels[useCompact() ? 'compact' : 'wide'];
}

function listen(changed: () => void): () => void {
  changes.addEventListener('change', changed);
  return () => changes.removeEventListener('change', changed);
}
