// Views of the list of executions that one has given a name; kept in this browser.
import { keep, kept } from './browser-store';
import { viewText, type View } from './view';

export interface SavedView {
  readonly name: string;
  /** Search parameters of the address, such as `?status=FAILED`. */
  readonly search: string;
}

const storageKey = 'downbeat.views';
const viewsMax = 50;

/** By name. A view that cannot be read counts as none. */
export function savedViews(): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(kept(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSavedView) : [];
  } catch {
    return [];
  }
}

/** The same text for the same view; the place in the list is no part of a view. */
export function searchOf({ start: _start, ...kept }: View): string {
  return viewText(Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** A view of the same name is replaced. */
export function saveView(name: string, view: View): readonly SavedView[] {
  const others = savedViews().filter((each) => each.name !== name);
  return store([...others, { name, search: searchOf(view) }].slice(-viewsMax));
}

export function forgetView(name: string): readonly SavedView[] {
  return store(savedViews().filter((each) => each.name !== name));
}

function store(views: readonly SavedView[]): readonly SavedView[] {
  const sorted = [...views].sort((a, b) => a.name.localeCompare(b.name));
  if (!keep(storageKey, JSON.stringify(sorted))) throw new Error('This browser keeps nothing more');
  return sorted;
}

function isSavedView(value: unknown): value is SavedView {
  if (value === null || typeof value !== 'object') return false;
  const { name, search } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof search === 'string';
}
