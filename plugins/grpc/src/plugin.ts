// Calls over gRPC: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { grpcTask } from './grpc.js';
import { describeServer } from './reflection.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'grpc',
  taskTypes: [grpcTask],
  describeServer,
};
