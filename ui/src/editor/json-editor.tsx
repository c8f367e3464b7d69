// Edits JSON text: errors in place, and completion of fields and of `${…}` references.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { isolateHistory, redo, undo } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import { StateEffect, type ChangeSpec } from '@codemirror/state';
import { basicSetup } from 'codemirror';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { useEffect, useRef, type ReactElement } from 'react';
import { diagnosticsOf, positionAt, type MarkedPlace } from './error-places';
import { problemLines } from './problem-lines';
import { chosenTaskMarks, refAt, showTask } from './task-places';
import { editorLook } from './theme';

interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Offered inside strings: references and names. */
  readonly offers?: readonly string[];
  /** The server's objections to the text, shown at their places. */
  readonly problems?: readonly MarkedPlace[] | undefined;
  /** Told once what can be done with the text from outside. */
  readonly onReady?: (handle: EditorHandle) => void;
  /** Reference name of the task that is chosen: its lines are marked, and come into sight. */
  readonly chosen?: string;
  /** The cursor was put somewhere: the innermost task there ('' for none), and the line. */
  readonly onCursor?: (ref: string, line: number) => void;
}

const parseErrors = jsonParseLinter();
const noProblems: readonly MarkedPlace[] = [];
/** The marks are to be set anew: the text is the same, and what is known of it has changed. */
const problemsChanged = StateEffect.define();
const marksAfterMs = 100;

export interface EditorHandle {
  readonly undo: () => void;
  readonly redo: () => void;
  /** Puts the cursor to the value at a path, and brings it into sight. */
  readonly show: (path: string) => void;
  /** The line of the value at a path, from 1. */
  readonly lineOf: (path: string) => number;
}

export function JsonEditor(props: JsonEditorProps): ReactElement {
  const { label, value, onChange, offers = [], problems = noProblems, onReady } = props;
  const { chosen, onCursor } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const latest = useRef({ onChange, offers, problems, onReady, onCursor });
  latest.current = { onChange, offers, problems, onReady, onCursor };
  useEffect(() => {
    const view = new EditorView({
      doc: value,
      parent: place.current as HTMLDivElement,
      extensions: [
        basicSetup,
        json(),
        linter(
          (view) => [...parseErrors(view), ...diagnosticsOf(view.state, latest.current.problems)],
          {
            delay: marksAfterMs,
            needsRefresh: ({ transactions }) =>
              transactions.some(({ effects }) => effects.some((each) => each.is(problemsChanged))),
          },
        ),
        lintGutter(),
        autocompletion({ override: [(context) => complete(context, latest.current.offers)] }),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          if (update.selectionSet && isByHand(update)) {
            const { head } = update.state.selection.main;
            const line = update.state.doc.lineAt(head).number;
            latest.current.onCursor?.(refAt(update.state, head), line);
          }
        }),
        chosenTaskMarks,
        problemLines,
        editorLook,
      ],
    });
    editor.current = view;
    latest.current.onReady?.({
      undo: () => undo(view),
      redo: () => redo(view),
      show: (path) => {
        const anchor = positionAt(view.state, path);
        view.dispatch({ selection: { anchor }, scrollIntoView: true });
        view.focus();
      },
      lineOf: (path) => view.state.doc.lineAt(positionAt(view.state, path)).number,
    });
    return () => view.destroy();
    // The text that comes later is brought in below, so that undo keeps its history.
  }, [label]);
  useEffect(() => {
    const view = editor.current;
    if (view === undefined || view.state.doc.toString() === value) return;
    view.dispatch({
      changes: changeBetween(view.state.doc.toString(), value),
      annotations: isolateHistory.of('full'),
    });
  }, [value]);
  useEffect(() => {
    if (editor.current !== undefined && chosen !== undefined) showTask(editor.current, chosen);
  }, [chosen, value]);
  useEffect(() => {
    editor.current?.dispatch({ effects: problemsChanged.of(null) });
  }, [problems]);
  return <div ref={place} className="editor" />;
}

/** By pointer or keys, and not by typing. */
function isByHand({ docChanged, transactions }: ViewUpdate): boolean {
  return !docChanged && transactions.some((each) => each.isUserEvent('select'));
}

/** The one part in which two texts differ, so that the cursor and the rest stay where they are. */
function changeBetween(before: string, after: string): ChangeSpec {
  const shortest = Math.min(before.length, after.length);
  let from = 0;
  while (from < shortest && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < shortest - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

function complete(context: CompletionContext, offers: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/["$][\w.${}]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const from = word.text.startsWith('"') ? word.from + 1 : word.from;
  return { from, options: offers.map((label) => ({ label })), validFor: /^[\w.${}]*$/ };
}
