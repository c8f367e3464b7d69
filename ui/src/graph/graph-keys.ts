// The keys of a graph that is edited: arrows walk from task to task, Alt with an arrow moves the
// chosen one, Delete deletes it, Ctrl Z and Ctrl Y undo and redo.
import type { KeyboardEvent } from 'react';

export interface GraphKeys {
  readonly choose: (ref: string) => void;
  /** -1: to the place before it. */
  readonly move: (by: 1 | -1) => void;
  readonly remove: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
}

export function onGraphKey(event: KeyboardEvent<HTMLElement>, keys: GraphKeys): void {
  const action = actionOf(event, keys);
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function actionOf(event: KeyboardEvent<HTMLElement>, keys: GraphKeys): (() => void) | undefined {
  const { key, altKey, shiftKey } = event;
  if (event.ctrlKey || event.metaKey) {
    const isRedo = key === 'y' || (key.toLowerCase() === 'z' && shiftKey);
    return isRedo ? keys.redo : key === 'z' ? keys.undo : undefined;
  }
  const ref = (event.target as Element).getAttribute('data-ref');
  if (ref === null) return undefined;
  const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[key];
  if (by !== undefined) return altKey ? () => keys.move(by) : () => walk(event, by);
  if (key === 'Delete') return () => leave(event, keys.remove);
  return key === 'Enter' || key === ' ' ? () => keys.choose(ref) : undefined;
}

/** Gives the focus to the next task of the graph. */
function walk({ target, currentTarget }: KeyboardEvent<HTMLElement>, by: 1 | -1): void {
  const all = [...currentTarget.querySelectorAll<SVGElement>('[data-ref]')];
  all[all.indexOf(target as SVGElement) + by]?.focus();
}

/** The graph has the focus once the task that had it is gone. */
function leave({ currentTarget }: KeyboardEvent<HTMLElement>, remove: () => void): void {
  currentTarget.focus();
  remove();
}
