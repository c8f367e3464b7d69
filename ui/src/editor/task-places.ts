// Where the tasks of a definition stand in its text, and which task a place of the text is in.
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

const refMember = '"taskReferenceName"';
/** Longer texts are looked through as far as they have been parsed, ms. */
const parseMsMax = 100;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Reference name of the innermost task around a place; '' outside of all. */
export function refAt(state: EditorState, position: number): string {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1);
  for (; node !== null; node = node.parent) {
    const ref = node.name === 'Object' ? refOf(state, node) : undefined;
    if (ref !== undefined) return ref;
  }
  return '';
}

/** The object of a task in the text. */
function rangeOf(state: EditorState, ref: string): Range | undefined {
  if (ref === '') return undefined;
  const tree = ensureSyntaxTree(state, state.doc.length, parseMsMax) ?? syntaxTree(state);
  let found: Range | undefined;
  tree.iterate({
    enter: ({ node }) => {
      if (found === undefined && node.name === 'Object' && refOf(state, node) === ref) {
        found = { from: node.from, to: node.to };
      }
      return found === undefined;
    },
  });
  return found;
}

function refOf(state: EditorState, object: SyntaxNode): string | undefined {
  for (const property of object.getChildren('Property')) {
    const name = property.getChild('PropertyName');
    const value = property.getChild('String');
    if (name === null || value === null) continue;
    if (state.sliceDoc(name.from, name.to) === refMember) {
      return parsed(state.sliceDoc(value.from, value.to));
    }
  }
  return undefined;
}

function parsed(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const choose = StateEffect.define<string>();
const line = Decoration.line({ class: 'cm-chosen-task' });

/** The lines of the chosen task, which stay marked while the text changes. */
const chosenLines = StateField.define<{ readonly ref: string; readonly lines: DecorationSet }>({
  create: () => ({ ref: '', lines: Decoration.none }),
  update: (before, { state, docChanged, effects }) => {
    const ref = effects.findLast((each) => each.is(choose))?.value as string | undefined;
    if (ref === undefined && !docChanged) return before;
    const wanted = ref ?? before.ref;
    return { ref: wanted, lines: linesOf(state, rangeOf(state, wanted)) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});

function linesOf(state: EditorState, range: Range | undefined): DecorationSet {
  if (range === undefined) return Decoration.none;
  const [first, last] = [state.doc.lineAt(range.from).number, state.doc.lineAt(range.to).number];
  const starts = Array.from(
    { length: last - first + 1 },
    (_, at) => state.doc.line(first + at).from,
  );
  return Decoration.set(starts.map((at) => line.range(at)));
}

export const chosenTaskMarks: Extension = chosenLines;

/** Marks a task in the text; it comes into sight unless one is writing there. */
export function showTask(view: EditorView, ref: string): void {
  if (view.state.field(chosenLines).ref === ref) return;
  const range = rangeOf(view.state, ref);
  const isInSight = view.hasFocus || range === undefined;
  view.dispatch({
    effects: [
      choose.of(ref),
      ...(isInSight ? [] : [EditorView.scrollIntoView(range.from, { y: 'start', yMargin: 40 })]),
    ],
  });
}
