// The list of keys, and switches: letter keys, height of rows.
import { useState, type ReactElement } from 'react';
import { Dialog } from '../design/controls';
import { setCompact, useCompact } from '../state/density';
import { areLettersOn, setLetters } from '../state/letter-keys';

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Find pages, executions and actions'],
  ['/', 'Go to the filter'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Choose the row'],
  ['g o, g e, g d, g q, g i', 'Overview, executions, definitions, queues, inbox'],
  ['r', 'Retry the execution'],
  ['p', 'Pause or resume the execution'],
  ['↑ ↓ ← →, Enter', 'In JSON: walk, fold and unfold, copy the reference of the line'],
  ['↑ ↓', 'In the graph of the editor: previous and next task'],
  ['Alt ↑, Alt ↓, Delete, Ctrl Z', 'There: move the chosen task, delete it, undo'],
  ['?', 'This list'],
];

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [isOn, setOn] = useState(areLettersOn());
  const isCompact = useCompact();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="facts">
        {keys.map(([key, effect]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label className="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setLetters(event.target.checked);
            setOn(event.target.checked);
          }}
        />
        Letter keys are on
      </label>
      <label className="row">
        <input
          type="checkbox"
          checked={isCompact}
          onChange={(event) => setCompact(event.target.checked)}
        />
        Rows of tables are compact
      </label>
    </Dialog>
  );
}
