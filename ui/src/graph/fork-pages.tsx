// Opens forks that have too many branches to be drawn at once, page by page, one fork at a time.
import type { ReactElement } from 'react';
import { Button } from '../design/controls';
import { count } from '../state/format';
import { useView } from '../state/view';
import type { GraphNode } from './drawing';
import { branchesMax } from './plan';

export function ForkPages({ nodes }: { readonly nodes: readonly GraphNode[] }): ReactElement {
  return (
    <>{nodes.map((node) => node.folded !== undefined && <Pages key={node.ref} node={node} />)}</>
  );
}

function Pages({ node: { ref, folded } }: { readonly node: GraphNode }): ReactElement | null {
  const [, change] = useView();
  if (folded === undefined) return null;
  const { branches, page } = folded;
  const show = (next: number | undefined): void =>
    change(
      next === undefined ? { fork: '', branches: '' } : { fork: ref, branches: String(next) },
      true,
    );
  const last = Math.ceil(branches / branchesMax) - 1;
  if (page === undefined) {
    return (
      <Button onClick={() => show(0)}>
        Show branches of {ref} ({count(branches)})
      </Button>
    );
  }
  const from = page * branchesMax;
  const until = Math.min(branches, from + branchesMax);
  return (
    <span className="row" role="group" aria-label={`Branches of ${ref}`}>
      <span>
        {ref}: branches {count(from + 1)} to {count(until)} of {count(branches)}
      </span>
      <Button
        refused={page === 0 ? 'These are the first ones' : undefined}
        onClick={() => show(page - 1)}
      >
        Earlier
      </Button>
      <Button
        refused={page >= last ? 'These are the last ones' : undefined}
        onClick={() => show(page + 1)}
      >
        Later
      </Button>
      <Button onClick={() => show(undefined)}>Fold</Button>
    </span>
  );
}
