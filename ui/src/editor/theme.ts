// Parts that all editors share: the look of the page and the nonce that its style sheet needs.
import type { Extension } from '@codemirror/state';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { nonce } from '../state/nonce';

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--text-3)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '.cm-chosen-task': { backgroundColor: 'light-dark(#f2f3fd, #191c33)' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"…" !important' },
  '.cm-collapsedLines': {
    background: 'var(--sunken) !important',
    color: 'var(--text-3) !important',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#cfe0fb, #2c4a75) !important',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--hold)' },
]);

export const editorLook: Extension = [
  EditorView.cspNonce.of(nonce),
  look,
  syntaxHighlighting(colours),
];
