// Edits JSON text: errors in place, and completion of fields and of `${…}` references.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import { basicSetup } from 'codemirror';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { editorLook } from './theme';

interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Offered inside strings: references and names. */
  readonly offers?: readonly string[];
}

export function JsonEditor({ label, value, onChange, offers = [] }: JsonEditorProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const latest = useRef({ onChange, offers });
  latest.current = { onChange, offers };
  useEffect(() => {
    const view = new EditorView({
      doc: value,
      parent: place.current as HTMLDivElement,
      extensions: [
        basicSetup,
        json(),
        linter(jsonParseLinter()),
        lintGutter(),
        autocompletion({ override: [(context) => complete(context, latest.current.offers)] }),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
        editorLook,
      ],
    });
    editor.current = view;
    return () => view.destroy();
    // The text that comes later is brought in below, so that undo keeps its history.
  }, [label]);
  useEffect(() => {
    const view = editor.current;
    if (view === undefined || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className="editor" />;
}

function complete(context: CompletionContext, offers: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/["$][\w.${}]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const from = word.text.startsWith('"') ? word.from + 1 : word.from;
  return { from, options: offers.map((label) => ({ label })), validFor: /^[\w.${}]*$/ };
}
