// All that a torture run does beside its main load.
import type { ApiClient } from '../../testkit/api-client.js';
import { EventLoad } from './event-load.js';
import { LimitLoad } from './limit-load.js';
import { PunctualLoad } from './punctual-load.js';
import { ScheduleLoad } from './schedule-load.js';
import { SideLoads } from './side-load.js';
import { StoryLoad } from './story-load.js';

/** Registers what they need; the server runs with `eventLoadArgs`. */
export async function startSideLoads(client: ApiClient, seed: number): Promise<SideLoads> {
  return new SideLoads([
    await StoryLoad.start(client, seed),
    await LimitLoad.start(client, seed),
    await ScheduleLoad.start(client),
    await EventLoad.start(client, seed),
    await PunctualLoad.start(client, seed),
  ]);
}
