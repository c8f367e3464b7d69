// Shows an execution at an earlier moment. The slider's steps are the moments at which something
// changed; the moment stands in the address.
import { useMemo, type ReactElement } from 'react';
import { Button } from '../../design/controls';
import { Status } from '../../design/status';
import { duration, moment } from '../../state/format';
import { useView } from '../../state/view';
import { useHistory } from './history';
import { momentsOf, outlineAt } from './moments';
import type { Outline } from './outline';

/** The outline at the moment of the address, or as it is now. */
export function useOutlineAt(outline: Outline): Outline {
  const [view] = useView();
  const at = Number(view['at']) || 0;
  const history = useHistory(outline.head.workflowId, at > 0).data;
  return useMemo(
    () => (at > 0 ? outlineAt(outline, history ?? [], at) : outline),
    [outline, history, at],
  );
}

interface TimeTravelProps {
  readonly outline: Outline;
  /** The outline that `useOutlineAt` has made. */
  readonly past: Outline;
}

export function TimeTravel({ outline, past }: TimeTravelProps): ReactElement | null {
  return past.shownAt === undefined ? null : <Slider outline={outline} past={past} />;
}

function Slider({ outline, past }: TimeTravelProps): ReactElement {
  const [, change] = useView();
  const history = useHistory(outline.head.workflowId, true).data;
  const moments = useMemo(() => momentsOf(outline, history ?? []), [outline, history]);
  const later = moments.findIndex(({ at }) => at > (past.shownAt ?? 0));
  const index = later === -1 ? moments.length - 1 : Math.max(0, later - 1);
  const shown = moments[index];
  const what =
    shown === undefined
      ? ''
      : `${moment(shown.at)}, ${duration(shown.at - outline.head.startTime)} after the start: ${shown.what}`;
  return (
    <div className="panel stack" role="group" aria-label="Time travel">
      <div className="row">
        <label className="row grow">
          Moment
          <input
            type="range"
            className="grow"
            min={0}
            max={moments.length - 1}
            value={index}
            aria-valuetext={what}
            onChange={(event) =>
              change({ at: String(moments[Number(event.target.value)]?.at ?? '') }, true)
            }
          />
        </label>
        <Button onClick={() => change({ at: '' })}>Back to now</Button>
      </div>
      <p role="status">
        <Status status={past.head.status} /> {what}
      </p>
    </div>
  );
}
