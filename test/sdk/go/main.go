// Drives a server with the published Go client: definitions, its task runner, synchronous starts, controls and queries.
// Usage: sdk-check http://127.0.0.1:PORT/api [KEY SECRET]   Prints "ok NAME" per check; exits with 1 at the first that fails.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/antihax/optional"
	"github.com/conductor-sdk/conductor-go/sdk/client"
	"github.com/conductor-sdk/conductor-go/sdk/model"
	"github.com/conductor-sdk/conductor-go/sdk/settings"
	"github.com/conductor-sdk/conductor-go/sdk/worker"
	"github.com/conductor-sdk/conductor-go/sdk/workflow"
	"github.com/conductor-sdk/conductor-go/sdk/workflow/executor"
)

func check(name string, holds bool, seen any) {
	if !holds {
		fmt.Printf("failed: %s; seen: %v\n", name, seen)
		os.Exit(1)
	}
	fmt.Println("ok", name)
}

func must(name string, err error) {
	check(name, err == nil, err)
}

func until(what string, look func() bool) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if look() {
			return
		}
	}
	check("waited for "+what, false, nil)
}

func main() {
	var key *settings.AuthenticationSettings
	if len(os.Args) > 3 {
		key = settings.NewAuthenticationSettings(os.Args[2], os.Args[3])
	}
	api := client.NewAPIClient(key, settings.NewHttpSettings(os.Args[1]))
	run := executor.NewWorkflowExecutor(api)
	metadata := client.NewMetadataClient(api)
	tasks := client.NewTaskClient(api)
	ctx := context.Background()

	defs := []model.TaskDef{{Name: "go_greet", OwnerEmail: "sdk@downbeat.test"}, {Name: "go_polled", OwnerEmail: "sdk@downbeat.test"}}
	_, err := metadata.RegisterTaskDef(ctx, defs)
	must("task definitions", err)
	def, _, err := metadata.GetTaskDef(ctx, "go_greet")
	check("task definition", err == nil && def.Name == "go_greet", err)

	greet := workflow.NewSimpleTask("go_greet", "greet").Input("name", "${workflow.input.name}")
	greeting := workflow.NewConductorWorkflow(run).Name("go_greetings").Version(1).Add(greet).
		OutputParameters(map[string]interface{}{"result": "${greet.output.text}"})
	must("registration", greeting.Register(true))
	_, _, err = metadata.Get(ctx, "go_greetings", nil)
	must("workflow definition", err)

	runner := worker.NewTaskRunnerWithApiClient(api)
	must("worker", runner.StartWorker("go_greet", func(task *model.Task) (interface{}, error) {
		return map[string]interface{}{"text": fmt.Sprintf("hello %v", task.InputData["name"])}, nil
	}, 2, 10*time.Millisecond))
	request := model.StartWorkflowRequest{Name: "go_greetings", Version: 1, Input: map[string]interface{}{"name": "you"}, CorrelationId: "go"}
	id, err := run.StartWorkflow(&request)
	must("start", err)
	until("the end", func() bool {
		state, err := run.GetWorkflowStatus(id, true, true)
		return err == nil && state.Status == string(model.CompletedWorkflow) && state.Output["result"] == "hello you"
	})
	done, err := run.ExecuteWorkflow(&request, "")
	check("execute", err == nil && done.Output["result"] == "hello you", err)
	found, err := run.GetByCorrelationIds("go_greetings", true, true, "go")
	check("correlated", err == nil && len(found["go"]) == 2, err)

	polled := workflow.NewConductorWorkflow(run).Name("go_polls").Version(1).
		Add(workflow.NewSimpleTask("go_polled", "a")).Add(workflow.NewWaitTask("wait"))
	must("second registration", polled.Register(true))
	id, err = run.StartWorkflow(&model.StartWorkflowRequest{Name: "go_polls", Version: 1})
	must("second start", err)
	batch, _, err := tasks.BatchPoll(ctx, "go_polled", &client.TaskResourceApiBatchPollOpts{Count: optional.NewInt32(5), Timeout: optional.NewInt32(500)})
	check("batch poll", err == nil && len(batch) == 1, err)
	_, err = tasks.Log(ctx, "a line", batch[0].TaskId)
	must("log", err)
	must("update", run.UpdateTask(batch[0].TaskId, id, model.CompletedTask, map[string]interface{}{"k": []int{1, 2}}))
	task, err := run.GetTask(batch[0].TaskId)
	check("task", err == nil && task.Status == model.CompletedTask, err)
	must("pause", run.Pause(id))
	must("resume", run.Resume(id))
	must("update by reference", run.UpdateTaskByRefName("wait", id, model.CompletedTask, map[string]interface{}{"w": 1}))
	until("the second end", func() bool {
		seen, err := run.GetWorkflow(id, true)
		return err == nil && seen.Status == model.CompletedWorkflow && len(seen.Tasks) == 2
	})
	must("restart", run.Restart(id, false))
	must("terminate", run.Terminate(id, "enough"))
	must("retry", run.Retry(id, false))
	must("skip", run.SkipTasksFromWorkflow(id, "wait", model.SkipTaskRequest{}))
	must("terminate again", run.Terminate(id, "over"))
	until("the search", func() bool {
		hits, err := run.Search(0, 10, "workflowType='go_polls' AND status='TERMINATED'", "*")
		return err == nil && len(hits) == 1
	})
	must("removal", run.RemoveWorkflow(id))
	_, err = run.GetWorkflow(id, false)
	check("its absence", err != nil, nil)
	if key != nil {
		administration(os.Args[1], api)
	}
	fmt.Println("all ok")
}
