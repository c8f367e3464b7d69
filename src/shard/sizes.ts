// Sizes for the limits on live memory and on uncommitted bytes.
import type { Command } from '../engine/command.js';
import type { ExecutionActor } from './execution-actor.js';
