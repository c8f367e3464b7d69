// Shown in place of a page that cannot be drawn: a script of it is gone (the server was replaced by
// another version), or the server has answered what the page does not understand.
import type { ReactElement } from 'react';
import { Button } from '../design/controls';
import { ErrorNote } from '../design/notes';

interface PageErrorProps {
  readonly error: unknown;
}

export function PageError({ error }: PageErrorProps): ReactElement {
  return (
    <>
      <h1>This page cannot be shown</h1>
      <ErrorNote error={error} />
      <div className="row">
        <Button look="main" onClick={() => location.reload()}>
          Load it again
        </Button>
      </div>
    </>
  );
}
