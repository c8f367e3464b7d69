// Two texts side by side with what changed.
import { json } from '@codemirror/lang-json';
import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { editorLook } from './theme';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
}

export function DiffView({ before, after }: DiffViewProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const extensionsOf = (label: string) => [
      lineNumbers(),
      json(),
      editorLook,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ];
    const view = new MergeView({
      a: { doc: before, extensions: extensionsOf('Before') },
      b: { doc: after, extensions: extensionsOf('After') },
      parent: place.current as HTMLDivElement,
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => view.destroy();
  }, [before, after]);
  return <div ref={place} className="editor" />;
}
