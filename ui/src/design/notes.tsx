// Notes in place of data: loading, nothing there, an error.
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { ApiError, isUnreached } from '../api/client';
import { useAwaySince } from '../api/connection';
import { useFeatures } from '../state/features';
import { moment, sentence } from '../state/format';
import { RegionContext, sharedFailures, useRegion, useToldByRegion } from './region';

export function ErrorNote({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}): ReactElement {
  const known = error instanceof ApiError ? error : undefined;
  const isAway = useAwaySince() !== undefined;
  // Questions are asked anew by themselves; actions are not.
  if (isUnreached(error) && !isAway && retry === undefined) {
    return (
      <p role="status" className="note">
        The server is back. It may not have heard of this: do it again.
      </p>
    );
  }
  return (
    <div role="alert" className="note error">
      <p className="reason">
        <b>{error instanceof Error ? sentence(error.message) : String(error)}</b>
      </p>
      {known !== undefined && known.validationErrors.length > 0 && (
        <ul>
          {known.validationErrors.map((each) => (
            <li key={each.path + each.message}>
              <code>{each.path}</code> {each.message}
            </li>
          ))}
        </ul>
      )}
      {known !== undefined && (
        <p className="quiet">
          {known.instance !== undefined && `Node ${known.instance}. `}
          {known.requestId !== undefined && `Request ${known.requestId}.`}
        </p>
      )}
      {/* A mistake in what was asked stays one, however often it is asked. */}
      {retry !== undefined && known?.status !== 400 && (
        <button type="button" className="button plain" onClick={retry}>
          Retry
        </button>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** A command to copy. */
  readonly command?: string;
}

export function Empty({ children, action, command }: EmptyProps): ReactElement {
  const user = useFeatures()?.user;
  const isList = action !== undefined || command !== undefined;
  return (
    <div className="note empty">
      <p>{children}</p>
      {isList && user?.administrator === false && (
        <p className="quiet">Only what you may read counts here.</p>
      )}
      {action}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

export function Command({ text }: { readonly text: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="command">
      <code>{text}</code>
      <button
        type="button"
        className="button plain"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

const skeletonAfterMs = 200;

/** Grey bars, only where the wait is long enough to be noticed. */
export function Skeleton(): ReactElement | null {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), skeletonAfterMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      <i />
      <i />
      <i />
    </div>
  );
}

/** A page. What several of its parts lack for one reason is said once, above them. */
export function FailureRegion({ children }: { readonly children: ReactNode }): ReactElement {
  const region = useRegion();
  return (
    <RegionContext value={region}>
      {sharedFailures(region.failures).map(({ id, error, retry }) => (
        <ErrorNote key={id} error={error} retry={retry} />
      ))}
      {children}
    </RegionContext>
  );
}

interface FailureProps {
  readonly query: Pick<
    UseQueryResult,
    'data' | 'error' | 'refetch' | 'isFetching' | 'dataUpdatedAt'
  >;
}

/**
 * The failed state of a part that shows what was asked for. While the server is away one note of
 * the page says so, and the part waits with what it has.
 */
export function Failure({ query }: FailureProps): ReactElement | null {
  const { data, error, refetch, isFetching, dataUpdatedAt } = query;
  const isAway = useAwaySince() !== undefined;
  const isWaiting = isUnreached(error) && (isAway || isFetching);
  const retry = (): void => void refetch();
  const isTold = useToldByRegion(isWaiting ? null : error, retry);
  if (error === null) return null;
  if (isWaiting) return data === undefined ? <Skeleton /> : null;
  return (
    <>
      {!isTold && <ErrorNote error={error} retry={retry} />}
      {isTold && data === undefined && <p className="quiet">Not loaded: it says why above.</p>}
      {data !== undefined && <p className="quiet">As of {moment(dataUpdatedAt)}.</p>}
    </>
  );
}

/** Shows the data of a query; old data stays beside an error, marked with its time. */
export function Loaded<T>({
  query,
  title,
  gone,
  children,
}: {
  readonly query: UseQueryResult<T>;
  /** Heading of the page until the data is there. */
  readonly title?: string;
  /** Why the server may not find it, shown then. */
  readonly gone?: string;
  readonly children: (data: T) => ReactNode;
}): ReactElement {
  const { data, error } = query;
  if (data === undefined) {
    const isGone = error instanceof ApiError && error.status === 404;
    return (
      <>
        {title !== undefined && <h1>{title}</h1>}
        {error === null ? <Skeleton /> : <Failure query={query} />}
        {isGone && gone !== undefined && <p className="quiet">{gone}</p>}
      </>
    );
  }
  return (
    <>
      <Failure query={query} />
      {children(data)}
    </>
  );
}
