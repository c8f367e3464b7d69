// A worker for one task type in four languages, with the published SDKs: it reads the members that
// the task has in its input, and answers those that the definition uses of its output.
import type { WorkflowDef } from '../../api/types';
import { tasksIn } from '../../templates/templates';

export const languages = ['JavaScript', 'Python', 'Java', 'Go'] as const;
export type Language = (typeof languages)[number];

export interface WaitingTask {
  readonly taskType: string;
  /** Members of its input. */
  readonly inputs: readonly string[];
  /** Members of its output that other parts of the definition use. */
  readonly outputs: readonly string[];
}

export interface WorkerCode {
  /** Of the programme. */
  readonly file: string;
  readonly program: string;
  /** Fetches the SDK; once. */
  readonly install: string;
  readonly run: string;
}

/** The facts that a worker of the task of that reference name has to know. */
export function waitingTask(definition: WorkflowDef, ref: string): WaitingTask | undefined {
  const task = tasksIn(definition.tasks).find(({ taskReferenceName }) => taskReferenceName === ref);
  if (task === undefined) return undefined;
  const name = ref.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const used = new RegExp(`\\$\\{${name}\\.output\\.(\\w+)`, 'g');
  const outputs = [...JSON.stringify(definition).matchAll(used)].map(([, member]) => member ?? '');
  return {
    taskType: task.name ?? ref,
    inputs: Object.keys(task.inputParameters ?? {}).filter((each) => /^\w+$/.test(each)),
    outputs: [...new Set(outputs)].slice(0, outputsMax),
  };
}

const outputsMax = 8;

/** `server`: its address, without a slash at its end. */
export function workerCode(language: Language, task: WaitingTask, server: string): WorkerCode {
  const outputs = task.outputs.length > 0 ? task.outputs : ['done'];
  const [input] = task.inputs;
  return writers[language]({ type: JSON.stringify(task.taskType), outputs, input, server });
}

interface Told {
  /** Quoted. */
  readonly type: string;
  readonly outputs: readonly string[];
  /** The member of the input that the answer speaks of. */
  readonly input: string | undefined;
  readonly server: string;
}

const writers: Readonly<Record<Language, (told: Told) => WorkerCode>> = {
  JavaScript: ({ type, outputs, input, server }) => ({
    file: 'worker.mjs',
    install: 'npm init -y && npm install @io-orkes/conductor-javascript zod@3',
    run: 'node worker.mjs',
    program: [
      "import { orkesConductorClient, TaskManager } from '@io-orkes/conductor-javascript';",
      '',
      `const client = await orkesConductorClient({ serverUrl: '${server}' });`,
      'const worker = {',
      `  taskDefName: ${type},`,
      '  execute: async ({ inputData }) => ({',
      "    status: 'COMPLETED',",
      '    outputData: {',
      ...outputs.map((name) => {
        const words = input === undefined ? name : `${name} for \${inputData.${input}}`;
        return `      ${name}: \`${words}\`,`;
      }),
      '    },',
      '  }),',
      '};',
      'new TaskManager(client, [worker], { options: { pollInterval: 100 } }).startPolling();',
      '',
    ].join('\n'),
  }),
  Python: ({ type, outputs, input, server }) => ({
    file: 'worker.py',
    install: 'python3 -m venv sdk && sdk/bin/pip install conductor-python',
    run: 'sdk/bin/python worker.py',
    program: [
      'from conductor.client.automator.task_handler import TaskHandler',
      'from conductor.client.configuration.configuration import Configuration',
      'from conductor.client.http.models import Task',
      'from conductor.client.worker.worker_task import worker_task',
      '',
      '',
      `@worker_task(task_definition_name=${type})`,
      'def work(task: Task) -> dict:',
      '    given = task.input_data',
      '    return {',
      ...outputs.map((name) => {
        const words = input === undefined ? `"${name}"` : `f"${name} for {given['${input}']}"`;
        return `        "${name}": ${words},`;
      }),
      '    }',
      '',
      '',
      'if __name__ == "__main__":',
      `    configuration = Configuration(server_api_url="${server}/api")`,
      '    handler = TaskHandler(configuration=configuration, scan_for_annotated_workers=True)',
      '    handler.start_processes()',
      '    handler.join_processes()',
      '',
    ].join('\n'),
  }),
  Java: ({ type, outputs, input, server }) => ({
    file: 'FirstWorker.java',
    install: javaInstall,
    run: "java -cp 'lib/*' FirstWorker.java",
    program: [
      'import com.netflix.conductor.client.automator.TaskRunnerConfigurer;',
      'import com.netflix.conductor.client.http.ConductorClient;',
      'import com.netflix.conductor.client.http.TaskClient;',
      'import com.netflix.conductor.client.worker.Worker;',
      'import com.netflix.conductor.common.metadata.tasks.TaskResult;',
      'import java.util.List;',
      '',
      'public class FirstWorker {',
      '    public static void main(String[] args) {',
      `        TaskClient tasks = new TaskClient(new ConductorClient("${server}/api"));`,
      `        Worker worker = Worker.create(${type}, task -> {`,
      '            TaskResult result = new TaskResult(task);',
      ...outputs.map((name) => {
        const words =
          input === undefined
            ? `"${name}"`
            : `"${name} for " + task.getInputData().get("${input}")`;
        return `            result.getOutputData().put("${name}", ${words});`;
      }),
      '            result.setStatus(TaskResult.Status.COMPLETED);',
      '            return result;',
      '        });',
      '        new TaskRunnerConfigurer.Builder(tasks, List.of(worker)).withThreadCount(1).build().init();',
      '    }',
      '}',
      '',
    ].join('\n'),
  }),
  Go: ({ type, outputs, input, server }) => ({
    file: 'main.go',
    install: 'go mod init first-worker && go get github.com/conductor-sdk/conductor-go@v1.5.4',
    run: 'go mod tidy && go run .',
    program: [
      'package main',
      '',
      'import (',
      ...(input === undefined ? [] : ['\t"fmt"']),
      '\t"time"',
      '',
      '\t"github.com/conductor-sdk/conductor-go/sdk/client"',
      '\t"github.com/conductor-sdk/conductor-go/sdk/model"',
      '\t"github.com/conductor-sdk/conductor-go/sdk/settings"',
      '\t"github.com/conductor-sdk/conductor-go/sdk/worker"',
      ')',
      '',
      'func work(task *model.Task) (interface{}, error) {',
      '\treturn map[string]interface{}{',
      ...outputs.map((name) => {
        const words =
          input === undefined
            ? `"${name}"`
            : `fmt.Sprintf("${name} for %v", task.InputData["${input}"])`;
        return `\t\t"${name}": ${words},`;
      }),
      '\t}, nil',
      '}',
      '',
      'func main() {',
      `\tapi := client.NewAPIClient(nil, settings.NewHttpSettings("${server}/api"))`,
      '\trunner := worker.NewTaskRunnerWithApiClient(api)',
      `\tif err := runner.StartWorker(${type}, work, 1, 100*time.Millisecond); err != nil {`,
      '\t\tpanic(err)',
      '\t}',
      '\trunner.WaitWorkers()',
      '}',
      '',
    ].join('\n'),
  }),
};

/** A project file of one line, which Maven reads the library from. */
const javaInstall = [
  "echo '<project><modelVersion>4.0.0</modelVersion><groupId>first</groupId>",
  '<artifactId>worker</artifactId><version>1</version><dependencies><dependency>',
  '<groupId>org.conductoross</groupId><artifactId>conductor-client</artifactId>',
  '<version>4.0.1</version></dependency></dependencies></project>',
  "' > pom.xml && mvn -q dependency:copy-dependencies -DoutputDirectory=lib",
].join('');
