// Two texts with what changed: side by side, in a narrow window one below the other in one text.
import { json } from '@codemirror/lang-json';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { useNarrow } from '../state/narrow';
import { editorLook } from './theme';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
}

export function DiffView({ before, after }: DiffViewProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  useEffect(() => {
    const extensionsOf = (label: string) => [
      lineNumbers(),
      json(),
      editorLook,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ];
    const parent = place.current as HTMLDivElement;
    const collapseUnchanged = { margin: 3, minSize: 6 };
    const inOne = { original: before, mergeControls: false, collapseUnchanged };
    const view = isNarrow
      ? new EditorView({
          doc: after,
          extensions: [...extensionsOf('Changes'), unifiedMergeView(inOne)],
          parent,
        })
      : new MergeView({
          a: { doc: before, extensions: extensionsOf('Before') },
          b: { doc: after, extensions: extensionsOf('After') },
          parent,
          collapseUnchanged,
        });
    return () => view.destroy();
  }, [before, after, isNarrow]);
  return <div ref={place} className="editor" />;
}
