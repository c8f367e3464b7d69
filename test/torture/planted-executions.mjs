// The compiled server (dist/tools/src) with executions that take its process down: one of `blocks_its_node` never ends
// the step that completes its first task, and a load of one of `kills_its_node` ends the process.
const { runServer } = await built('server/run-server.js');
const { ExecutionActor } = await built('shard/execution-actor.js');

blockSteps();
await runServer({ wrapStores: killAtLoads });

function built(file) {
  return import(new URL(`../../dist/tools/src/${file}`, import.meta.url).href);
}

function blockSteps() {
  const { decided } = ExecutionActor.prototype;
  ExecutionActor.prototype.decided = function (decision) {
    const { snapshot, tasks } = this.open.execution;
    if (snapshot.def.name === 'blocks_its_node' && tasks[0]?.status === 'COMPLETED') neverEnd();
    decided.call(this, decision);
  };
}

function neverEnd() {
  for (;;);
}

function killAtLoads(stores) {
  const load = async (shard, id) => {
    const stored = await stores.executions.load(shard, id);
    if (stored?.execution.snapshot.def.name === 'kills_its_node') {
      process.kill(process.pid, 'SIGKILL');
    }
    return stored;
  };
  const executions = new Proxy(stores.executions, {
    get(target, name) {
      if (name === 'load') return load;
      const own = Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
  return { ...stores, executions };
}
