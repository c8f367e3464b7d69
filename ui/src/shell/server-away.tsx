// Says that the server is away, on whatever page one is. When it is back, what is shown is asked
// anew.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactElement } from 'react';
import { useAwaySince } from '../api/connection';
import { moment } from '../state/format';

export function ServerAway(): ReactElement | null {
  const since = useAwaySince();
  const client = useQueryClient();
  const wasAway = useRef(false);
  useEffect(() => {
    if (since === undefined && wasAway.current) void client.invalidateQueries();
    wasAway.current = since !== undefined;
  }, [since, client]);
  if (since === undefined) return null;
  return (
    <div role="status" className="note error server-away">
      <p>
        <b>No connection to the server since {moment(since)}.</b> What you typed stays here. The
        page goes on by itself when the server is back.
      </p>
    </div>
  );
}
