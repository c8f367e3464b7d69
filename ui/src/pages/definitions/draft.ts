// The draft of a definition: its text, and the state of the server's version that it began with.
// The browser keeps both until the draft is saved.
import { useEffect, useState } from 'react';
import type { WorkflowDef, Written } from '../../api/types';
import { forget, keep, kept } from '../../state/browser-store';
import { stampOf } from './server-version';

export interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The text that "discard" goes back to. */
  readonly original: string;
  /** Stamp of the server's version that it began with; '' when there was none. */
  readonly base: string;
  /** The server has this text, in the state that the stamp tells. */
  readonly settle: (text: string, base: string) => void;
}

export function useDraft(start: Written<WorkflowDef>, draftKey: string, isStored: boolean): Draft {
  const key = `downbeat.draft.${draftKey}`;
  const baseKey = `downbeat.draft-base.${draftKey}`;
  const [original, setOriginal] = useState(() => JSON.stringify(start, undefined, 2));
  const [text, setText] = useState(() => kept(key) ?? original);
  const [base, setBase] = useState(() => {
    const now = isStored ? stampOf(start) : '';
    return text === original ? now : (kept(baseKey) ?? now);
  });
  useEffect(() => {
    if (text === original) {
      forget(key);
      forget(baseKey);
    } else {
      keep(key, text);
      keep(baseKey, base);
    }
  }, [text, original, key, base, baseKey]);
  return {
    ...{ text, setText, original, base },
    settle: (next, stamp) => {
      setText(next);
      setOriginal(next);
      setBase(stamp);
    },
  };
}
