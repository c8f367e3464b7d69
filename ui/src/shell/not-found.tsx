// Shown for an address that no page has.
import type { ReactElement } from 'react';
import { PageLink } from '../design/page-link';
import { Empty } from '../design/notes';
import { PageHead } from '../design/page-head';

export function NotFound(): ReactElement {
  return (
    <>
      <PageHead title="No such page" />
      <Empty
        action={
          <PageLink to="/" className="button main">
            Open the overview
          </PageLink>
        }
      >
        There is nothing at this address.
      </Empty>
    </>
  );
}
