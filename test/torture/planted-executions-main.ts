// The server with executions that take its process down: one of `blocks_its_node` never ends the
// step that completes its first task, and a load of one of `kills_its_node` ends the process.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NodeStores } from '../../src/node-stores.js';
import type * as RunServer from '../../src/run-server.js';
import type * as Actor from '../../src/shard/execution-actor.js';
import { projectRoot } from '../support/project.js';

const { ExecutionActor } = await built<typeof Actor>('shard/execution-actor.js');
const { runServer } = await built<typeof RunServer>('run-server.js');
blockSteps();
await runServer(killAtLoads);

async function built<Module>(file: string): Promise<Module> {
  return (await import(pathToFileURL(path.join(projectRoot, 'dist', file)).href)) as Module;
}

function blockSteps(): void {
  const { decided } = Object.getOwnPropertyDescriptors(ExecutionActor.prototype);
  ExecutionActor.prototype.decided = function (decision): void {
    const { snapshot, tasks } = this.open.execution;
    if (snapshot.def.name === 'blocks_its_node' && tasks[0]?.status === 'COMPLETED') neverEnd();
    decided.value?.call(this, decision);
  };
}

function neverEnd(): never {
  for (;;);
}

function killAtLoads(stores: NodeStores): NodeStores {
  const executions = new Proxy(stores.executions, {
    get(target, name) {
      if (name === 'load') return load;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
  const load: NodeStores['executions']['load'] = async (shard, id) => {
    const stored = await stores.executions.load(shard, id);
    if (stored?.execution.snapshot.def.name === 'kills_its_node') {
      process.kill(process.pid, 'SIGKILL');
    }
    return stored;
  };
  return { ...stores, executions };
}
