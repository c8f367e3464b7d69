// Settings of live streams.
import { integer } from '../../settings/setting.js';

export const liveSettings = {
  streamsMax: integer(
    'Live streams of changes that may be open at this node; one caller may have as many as it leaves free; then 503',
    10_000,
    0,
  ),
} as const;
