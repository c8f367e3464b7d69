// Lines with a mistake: their ground is marked, and a strip at the right edge shows where in the
// whole text they stand; a click there leads to the line.
import { forEachDiagnostic, setDiagnosticsEffect } from '@codemirror/lint';
import { StateField, type EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet } from '@codemirror/view';

interface Lines {
  /** Where each line with a mistake begins. */
  readonly starts: readonly number[];
  readonly marks: DecorationSet;
}

const mark = Decoration.line({ class: 'cm-problem-line' });

function linesOf(state: EditorState): Lines {
  const starts = new Set<number>();
  forEachDiagnostic(state, ({ severity }, from) => {
    if (severity === 'error') starts.add(state.doc.lineAt(from).from);
  });
  const sorted = [...starts].sort((a, b) => a - b);
  return { starts: sorted, marks: Decoration.set(sorted.map((start) => mark.range(start))) };
}

const lines = StateField.define<Lines>({
  create: linesOf,
  update: (before, { state, docChanged, effects }) =>
    docChanged || effects.some((each) => each.is(setDiagnosticsEffect)) ? linesOf(state) : before,
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
});

const strip = ViewPlugin.define((view) => {
  const map = document.createElement('div');
  map.className = 'cm-problem-map';
  map.ariaHidden = 'true';
  view.dom.append(map);
  let drawn: Lines | undefined;
  const draw = ({ state }: EditorView): void => {
    const shown = state.field(lines);
    if (shown === drawn) return;
    drawn = shown;
    const ticks = shown.starts.map((start) => {
      const tick = document.createElement('i');
      const share = (state.doc.lineAt(start).number - 1) / state.doc.lines;
      tick.style.top = `${share * 100}%`;
      tick.addEventListener('mousedown', (event) => {
        event.preventDefault();
        view.dispatch({ selection: { anchor: start }, scrollIntoView: true });
        view.focus();
      });
      return tick;
    });
    map.replaceChildren(...ticks);
  };
  draw(view);
  return { update: ({ view: changed }) => draw(changed), destroy: () => map.remove() };
});

const look = EditorView.theme({
  '.cm-problem-line': { backgroundColor: 'var(--bad-tint)' },
  '.cm-problem-map': {
    position: 'absolute',
    top: '0',
    right: '0',
    bottom: '0',
    width: '10px',
    zIndex: '2',
    pointerEvents: 'none',
  },
  '.cm-problem-map i': {
    position: 'absolute',
    right: '2px',
    width: '8px',
    height: '4px',
    borderRadius: '2px',
    backgroundColor: 'var(--bad)',
    cursor: 'pointer',
    pointerEvents: 'auto',
  },
});

export const problemLines: Extension = [lines, strip, look];
