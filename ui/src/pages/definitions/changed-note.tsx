// Says that the server's version has changed since a draft began, and offers what can be done.
import { lazy, Suspense, useState, type ReactElement } from 'react';
import type { WorkflowDef } from '../../api/types';
import { Button } from '../../design/controls';
import { Skeleton } from '../../design/notes';
import { Who } from '../../design/who';
import { withoutDefaults } from '../../editor/definition-text';
import { moment } from '../../state/format';

const DiffView = lazy(() =>
  import('../../editor/diff-view').then(({ DiffView: component }) => ({ default: component })),
);

interface ChangedNoteProps {
  readonly server: WorkflowDef;
  /** The draft. */
  readonly text: string;
  /** The version that "save as a new version" gives it. */
  readonly next: number;
  readonly refused: string | undefined;
  readonly saveAs: (version: number) => void;
  readonly take: (text: string) => void;
  readonly overwrite: () => void;
}

export function ChangedNote(props: ChangedNoteProps): ReactElement {
  const { server, text, next, refused } = props;
  const [isShown, show] = useState(false);
  const serverText = JSON.stringify(withoutDefaults(server), undefined, 2);
  return (
    <div role="alert" className="note error">
      <p>
        <b>
          Version {server.version} on the server is not the one that this draft began with: it was
          changed {moment(server.updateTime || server.createTime)}
          {server.updatedBy && (
            <>
              {' '}
              by <Who id={server.updatedBy} />
            </>
          )}
          .
        </b>
      </p>
      <div className="row">
        <Button onClick={() => show(!isShown)}>
          {isShown ? 'Hide the difference' : 'Show the difference'}
        </Button>
        <Button look="main" refused={refused} onClick={() => props.saveAs(next)}>
          Save as version {next}
        </Button>
        <Button onClick={() => props.take(serverText)}>Take the server’s</Button>
        <Button look="danger" refused={refused} onClick={props.overwrite}>
          Replace it
        </Button>
      </div>
      {isShown && (
        <Suspense fallback={<Skeleton />}>
          <DiffView before={serverText} after={text} />
        </Suspense>
      )}
    </div>
  );
}
