// The administrative areas, with authentication on: keys, users, groups, grants, secrets, environment, tags, prompts, integrations,
// schedules, webhooks, events and human tasks.
package main

import (
	"context"
	"net/http"

	"github.com/antihax/optional"
	"github.com/conductor-sdk/conductor-go/sdk/client"
	"github.com/conductor-sdk/conductor-go/sdk/model"
	"github.com/conductor-sdk/conductor-go/sdk/model/human"
	"github.com/conductor-sdk/conductor-go/sdk/model/integration"
	"github.com/conductor-sdk/conductor-go/sdk/model/rbac"
	"github.com/conductor-sdk/conductor-go/sdk/settings"
	"github.com/conductor-sdk/conductor-go/sdk/workflow"
	"github.com/conductor-sdk/conductor-go/sdk/workflow/executor"
)

var (
	ctx  = context.Background()
	tags = []model.Tag{{Key: "team", Value: "go"}}
)

// answered checks that a call succeeded with 200.
func answered(name string, answer *http.Response, err error) {
	check(name, err == nil && answer != nil && answer.StatusCode == http.StatusOK, err)
}

// refused checks the status that a call was refused with.
func refused(name string, status int, answer *http.Response, err error) {
	check(name, err != nil && answer != nil && answer.StatusCode == status, answer)
}

func administration(url string, api *client.APIClient) {
	applications(url, api)
	usersAndGroups(api)
	grants(api)
	secrets(api)
	environment(api)
	prompts(api)
	schedules(api)
	webhooks(api)
	events(api)
	people(api)
}

func applications(url string, api *client.APIClient) {
	apps := client.NewApplicationClient(api)
	app, answer, err := apps.CreateApplication(ctx, rbac.CreateOrUpdateApplicationRequest{Name: "go application"})
	answered("an application", answer, err)
	app, answer, err = apps.UpdateApplication(ctx, rbac.CreateOrUpdateApplicationRequest{Name: "go renamed"}, app.Id)
	check("its new name", err == nil && app.Name == "go renamed", err)
	_, answer, err = apps.AddRoleToApplicationUser(ctx, app.Id, "WORKER")
	answered("its role", answer, err)
	keys, _, err := apps.GetAccessKeys(ctx, app.Id)
	check("no keys yet", err == nil && len(keys) == 0, keys)
	// The SDK has no field for the secret of a new key.
	key, answer, err := apps.CreateAccessKey(ctx, app.Id)
	answered("a key", answer, err)
	keys, _, err = apps.GetAccessKeys(ctx, app.Id)
	check("its key", err == nil && len(keys) == 1 && keys[0].Status == "ACTIVE", keys)
	_, answer, err = apps.GetAppByAccessKeyId(ctx, key.Id)
	answered("its owner by key", answer, err)
	_, answer, err = apps.ToggleAccessKeyStatus(ctx, app.Id, key.Id)
	answered("a key switched off", answer, err)
	answer, err = apps.PutTagForApplication(ctx, tags, app.Id)
	answered("tags of an application", answer, err)
	seen, _, err := apps.GetTagsForApplication(ctx, app.Id)
	check("its tags", err == nil && len(seen) == 1 && seen[0] == tags[0], seen)
	answer, err = apps.DeleteTagForApplication(ctx, tags, app.Id)
	answered("its tags removed", answer, err)
	answer, err = apps.DeleteAccessKey(ctx, app.Id, key.Id)
	answered("a removed key", answer, err)
	_, answer, err = apps.RemoveRoleFromApplicationUser(ctx, app.Id, "WORKER")
	answered("a removed role", answer, err)
	all, _, err := apps.ListApplications(ctx)
	check("all applications", err == nil && len(all) > 0, err)
	_, answer, err = apps.DeleteApplication(ctx, app.Id)
	answered("a removed application", answer, err)
	_, answer, err = apps.GetApplication(ctx, app.Id)
	refused("its absence", http.StatusNotFound, answer, err)
	stranger := client.NewAPIClient(settings.NewAuthenticationSettings("no", "key"), settings.NewHttpSettings(url))
	_, answer, err = client.NewApplicationClient(stranger).ListApplications(ctx)
	check("a caller without a key", err != nil, err)
}

func usersAndGroups(api *client.APIClient) {
	users, groups := client.NewUserClient(api), client.NewGroupClient(api)
	_, answer, err := groups.UpsertGroup(ctx, rbac.UpsertGroupRequest{Description: "of Go", Roles: []string{"USER"}}, "go-group")
	answered("a group", answer, err)
	user, answer, err := users.UpsertUser(ctx, rbac.UpsertUserRequest{Name: "Go User", Roles: []string{"USER"}}, "Go@x.org")
	check("a user", err == nil && user.Id == "go@x.org", err)
	_, answer, err = groups.AddUserToGroup(ctx, "go-group", "go@x.org")
	answered("a member", answer, err)
	answer, err = groups.RemoveUsersFromGroup(ctx, []string{"go@x.org"}, "go-group")
	answered("members removed", answer, err)
	answer, err = groups.AddUsersToGroup(ctx, []string{"go@x.org"}, "go-group")
	answered("members added", answer, err)
	members, _, err := groups.GetUsersInGroup(ctx, "go-group")
	check("members", err == nil && len(members.([]interface{})) == 1, members)
	_, answer, err = groups.RemoveUserFromGroup(ctx, "go-group", "go@x.org")
	answered("a member removed", answer, err)
	held, _, err := groups.GetGrantedPermissions1(ctx, "go-group")
	check("no grants of a group", err == nil && len(held.GrantedAccess) == 0, held)
	granted, _, err := users.GetGrantedPermissions(ctx, "go@x.org")
	check("no grants of a user", err == nil && len(granted.GrantedAccess) == 0, granted)
	may, _, err := users.CheckPermissions(ctx, "go@x.org", "WORKFLOW_DEF", "go_greetings")
	check("what a user may do", err == nil && may["READ"] == false && len(may) == 5, may)
	listed, _, err := users.ListUsers(ctx, &client.UserResourceApiListUsersOpts{Apps: optional.NewBool(true)})
	check("all users", err == nil && len(listed) > 1, err)
	all, _, err := groups.ListGroups(ctx)
	check("all groups", err == nil && len(all) > 0, err)
	answer, err = users.DeleteUser(ctx, "go@x.org")
	answered("a removed user", answer, err)
	_, answer, err = users.GetUser(ctx, "go@x.org")
	refused("no such user", http.StatusNotFound, answer, err)
	answer, err = groups.DeleteGroup(ctx, "go-group")
	answered("a removed group", answer, err)
	_, answer, err = groups.GetGroup(ctx, "go-group")
	refused("no such group", http.StatusNotFound, answer, err)
}

func grants(api *client.APIClient) {
	authorization := client.NewAuthorizationClient(api)
	for _, kind := range []string{"WORKFLOW_DEF", "TASK_DEF", "SECRET_NAME", "TAG", "DOMAIN", "WEBHOOK", "PROMPT"} {
		grant := rbac.AuthorizationRequest{
			Access:  []string{"READ", "EXECUTE"},
			Subject: &rbac.SubjectRef{Type_: "USER", Id: "somebody@x.org"},
			Target:  &rbac.TargetRef{Type_: kind, Id: "go_target:x"},
		}
		answer, err := authorization.GrantPermissions(ctx, grant)
		answered("a grant on "+kind, answer, err)
		held, _, err := authorization.GetPermissions(ctx, kind, "go_target:x")
		check("its holders", err == nil && len(held.(map[string]interface{})["READ"].([]interface{})) == 1, held)
		answer, err = authorization.RemovePermissions(ctx, grant)
		answered("a removed grant on "+kind, answer, err)
	}
}

func secrets(api *client.APIClient) {
	kept := client.NewSecretsClient(api)
	_, answer, err := kept.PutSecret(ctx, "a \"go\" value", "go_secret")
	answered("a secret", answer, err)
	value, _, err := kept.GetSecret(ctx, "go_secret")
	check("its value", err == nil && value == "a \"go\" value", value)
	exists, _, err := kept.SecretExists(ctx, "go_secret")
	check("its existence", err == nil && exists == true, exists)
	names, _, err := kept.ListAllSecretNames(ctx)
	check("all names", err == nil && len(names) > 0, err)
	names, _, err = kept.ListSecretsThatUserCanGrantAccessTo(ctx)
	check("names to grant", err == nil && len(names) > 0, err)
	answer, err = kept.PutTagForSecret(ctx, tags, "go_secret")
	answered("tags of a secret", answer, err)
	tagged, _, err := kept.ListSecretsWithTagsThatUserCanGrantAccessTo(ctx)
	check("secrets with tags", err == nil && len(tagged) > 0 && len(tagged[0].Tags) == 1, tagged)
	seen, _, err := kept.GetTags(ctx, "go_secret")
	check("its tags", err == nil && len(seen) == 1, seen)
	answer, err = kept.DeleteTagForSecret(ctx, tags, "go_secret")
	answered("its tags removed", answer, err)
	_, answer, err = kept.ClearLocalCache(ctx)
	answered("one cache cleared", answer, err)
	_, answer, err = kept.ClearRedisCache(ctx)
	answered("the other cache cleared", answer, err)
	_, answer, err = kept.DeleteSecret(ctx, "go_secret")
	answered("a removed secret", answer, err)
	_, answer, err = kept.GetSecret(ctx, "go_secret")
	refused("no such secret", http.StatusNotFound, answer, err)
}

func environment(api *client.APIClient) {
	variables := client.NewEnvironmentClient(api)
	answer, err := variables.CreateOrUpdateEnvVariable(ctx, "go value", "go_env")
	answered("a variable", answer, err)
	value, _, err := variables.Get(ctx, "go_env")
	check("its value", err == nil && value == "go value", value)
	all, _, err := variables.GetAll(ctx)
	check("all variables", err == nil && len(all) > 0, err)
	// Tags may come before the variable.
	answer, err = variables.PutTagForEnvVar(ctx, tags, "go_no_env")
	answered("tags of a variable", answer, err)
	seen, _, err := variables.GetTagsForEnvVar(ctx, "go_no_env")
	check("its tags", err == nil && len(seen) == 1, seen)
	answer, err = variables.DeleteTagForEnvVar(ctx, tags, "go_no_env")
	answered("its tags removed", answer, err)
	value, _, err = variables.DeleteEnvVariable(ctx, "go_env")
	check("a removed variable", err == nil && value == "go value", value)
	answer, err = variables.CreateOrUpdateEnvVariable(ctx, "", "")
	check("a variable without a name", err != nil, answer)
}

func prompts(api *client.APIClient) {
	templates, models := client.NewPromptClient(api), client.NewIntegrationClient(api)
	tagged := []model.TagObject{{Key: "team", Value: "go"}}
	answer, err := models.SaveIntegrationProvider(ctx, integration.IntegrationUpdate{
		Category: "AI_MODEL", Type_: "openai", Description: "of Go", Enabled: true,
		Configuration: map[integration.ConfigKey]interface{}{integration.APIKey: "go key"},
	}, "go_ai")
	answered("an integration", answer, err)
	provider, _, err := models.GetIntegrationProvider(ctx, "go_ai")
	check("its kind", err == nil && provider.Category == "AI_MODEL" && provider.Configuration["api_key"] != "go key", provider)
	listed, _, err := models.GetIntegrationProviders(ctx, nil)
	check("all integrations", err == nil && len(listed) > 0, err)
	options := client.PromptResourceApiSaveMessageTemplateOpts{Models: []string{"go_ai:model-1"}}
	answer, err = templates.SaveMessageTemplate(ctx, "Hello ${name}", "of Go", "go_prompt", &options)
	answered("a prompt before its model", answer, err)
	answer, err = models.SaveIntegrationApi(ctx, integration.IntegrationApiUpdate{Description: "a model", Enabled: true}, "go_ai", "model-1")
	answered("a model", answer, err)
	known, _, err := models.GetIntegrationApi(ctx, "go_ai", "model-1")
	check("its name", err == nil && known.Api == "model-1", known)
	all, _, err := models.GetIntegrationApis(ctx, "go_ai", optional.NewBool(true))
	check("all models", err == nil && len(all) == 1, all)
	answer, err = models.AssociatePromptWithIntegration(ctx, "go_ai", "model-1", "go_prompt")
	answered("a prompt of a model", answer, err)
	found, _, err := models.GetPromptsWithIntegration(ctx, "go_ai", "model-1")
	check("prompts of a model", err == nil && len(found) == 1, found)
	answer, err = models.UpdateTagForIntegrationProvider(ctx, tagged, "go_ai")
	answered("tags of an integration", answer, err)
	ofProvider, _, err := models.GetTagsForIntegrationProvider(ctx, "go_ai")
	check("its tags", err == nil && len(ofProvider) == 1, ofProvider)
	answer, err = models.DeleteTagForIntegrationProvider(ctx, tagged, "go_ai")
	answered("its tags removed", answer, err)
	answer, err = models.UpdateTagForIntegration(ctx, tagged, "go_ai", "model-1")
	answered("tags of a model", answer, err)
	ofModel, _, err := models.GetTagsForIntegration(ctx, "go_ai", "model-1")
	check("its tags", err == nil && len(ofModel) == 1, ofModel)
	usage, _, err := models.GetTokenUsageForIntegration(ctx, "go_ai", "model-1")
	check("tokens of a model", err == nil && usage == 0, err)
	_, answer, err = models.GetTokenUsageForIntegrationProvider(ctx, "go_ai")
	answered("tokens of an integration", answer, err)
	answer, err = templates.PutTagForPromptTemplate(ctx, tags, "go_prompt")
	answered("tags of a prompt", answer, err)
	ofPrompt, _, err := templates.GetTagsForPromptTemplate(ctx, "go_prompt")
	check("its tags", err == nil && len(ofPrompt) == 1, ofPrompt)
	answer, err = templates.DeleteTagForPromptTemplate(ctx, tags, "go_prompt")
	answered("its tags removed", answer, err)
	everything, _, err := templates.GetMessageTemplates(ctx)
	check("all prompts", err == nil && len(everything) > 0 && everything[0].Variables[0] == "name", everything)
	answer, err = templates.DeleteMessageTemplate(ctx, "go_prompt")
	answered("a removed prompt", answer, err)
	_, answer, err = templates.GetMessageTemplate(ctx, "go_prompt")
	refused("no such prompt", http.StatusNotFound, answer, err)
	answer, err = models.DeleteIntegrationApi(ctx, "go_ai", "model-1")
	answered("a removed model", answer, err)
	answer, err = models.DeleteIntegrationProvider(ctx, "go_ai")
	answered("a removed integration", answer, err)
}

func schedules(api *client.APIClient) {
	scheduler := client.NewSchedulerClient(api)
	request := model.SaveScheduleRequest{
		Name: "go_schedule", CronExpression: "0 0 * ? * *",
		StartWorkflowRequest: &model.StartWorkflowRequest{Name: "go_greetings", Version: 1},
	}
	_, answer, err := scheduler.SaveSchedule(ctx, request)
	answered("a schedule", answer, err)
	seen, _, err := scheduler.GetSchedule(ctx, "go_schedule")
	check("its cron expression", err == nil && seen.CronExpression == "0 0 * ? * *", seen)
	options := client.SchedulerResourceApiGetAllSchedulesOpts{WorkflowName: optional.NewString("go_greetings")}
	all, _, err := scheduler.GetAllSchedules(ctx, &options)
	check("schedules of a workflow", err == nil && len(all) == 1, all)
	_, answer, err = scheduler.PauseSchedule(ctx, "go_schedule")
	answered("a pause", answer, err)
	seen, _, err = scheduler.GetSchedule(ctx, "go_schedule")
	check("its pause", err == nil && seen.Paused, seen)
	_, answer, err = scheduler.ResumeSchedule(ctx, "go_schedule")
	answered("its end", answer, err)
	next, _, err := scheduler.GetNextFewSchedules(ctx, "0 0 * ? * *", nil)
	check("its next times", err == nil && len(next) > 0, next)
	_, answer, err = scheduler.PauseAllSchedules(ctx)
	answered("all paused", answer, err)
	_, answer, err = scheduler.ResumeAllSchedules(ctx)
	answered("all resumed", answer, err)
	_, answer, err = scheduler.RequeueAllExecutionRecords(ctx)
	answered("all queued again", answer, err)
	_, answer, err = scheduler.SearchV2(ctx, nil)
	answered("its runs", answer, err)
	answer, err = scheduler.PutTagForSchedule(ctx, tags, "go_schedule")
	answered("tags of a schedule", answer, err)
	held, _, err := scheduler.GetTagsForSchedule(ctx, "go_schedule")
	check("its tags", err == nil && len(held) == 1, held)
	answer, err = scheduler.DeleteTagForSchedule(ctx, tags, "go_schedule")
	answered("its tags removed", answer, err)
	_, answer, err = scheduler.DeleteSchedule(ctx, "go_schedule")
	answered("a removed schedule", answer, err)
	_, answer, err = scheduler.GetSchedule(ctx, "go_schedule")
	refused("no such schedule", http.StatusNotFound, answer, err)
}

func webhooks(api *client.APIClient) {
	hooks := client.NewWebhooksConfigClient(api)
	made, answer, err := hooks.CreateWebhook(ctx, model.WebhookConfig{
		Id: "go-hook", Name: "go hook", Verifier: "HEADER_BASED", SourcePlatform: "Custom",
		Headers: map[string]string{"x-key": "go"}, WorkflowsToStart: map[string]int32{"go_greetings": 1},
	})
	answered("a webhook", answer, err)
	check("its id", made.Id == "go-hook", made)
	made.Name = "go renamed"
	made, _, err = hooks.UpdateWebhook(ctx, made, made.Id)
	check("its new name", err == nil && made.Name == "go renamed", err)
	seen, _, err := hooks.GetWebhook(ctx, "go-hook")
	check("what it starts", err == nil && seen.WorkflowsToStart["go_greetings"] == 1, seen)
	all, _, err := hooks.GetAllWebhook(ctx)
	check("all webhooks", err == nil && len(all) > 0, err)
	answer, err = hooks.DeleteWebhook(ctx, "go-hook")
	answered("a removed webhook", answer, err)
	_, answer, err = hooks.GetWebhook(ctx, "go-hook")
	refused("no such webhook", http.StatusNotFound, answer, err)
}

func events(api *client.APIClient) {
	handlers := client.NewEventHandlerClient(api)
	handler := model.EventHandler{
		Name: "go_handler", Event: "test:go", Active: true,
		Actions: []model.Action{{Action: "start_workflow", StartWorkflow: &model.StartWorkflow{Name: "go_greetings"}}},
	}
	answer, err := handlers.AddEventHandler(ctx, handler)
	answered("a handler", answer, err)
	handler.Condition = "true"
	answer, err = handlers.UpdateEventHandler(ctx, handler)
	answered("its condition", answer, err)
	found, _, err := handlers.GetEventHandlersForEvent(ctx, "test:go", nil)
	check("handlers of an event", err == nil && len(found) == 1 && found[0].Condition == "true", found)
	all, _, err := handlers.GetEventHandlers(ctx)
	check("all handlers", err == nil && len(all) > 0, err)
	answer, err = handlers.RemoveEventHandler(ctx, "go_handler")
	answered("a removed handler", answer, err)
	answer, err = handlers.RemoveEventHandler(ctx, "go_handler")
	refused("no such handler", http.StatusNotFound, answer, err)
}

func people(api *client.APIClient) {
	run, tasks := executor.NewWorkflowExecutor(api), client.NewHumanTaskClient(api)
	flow := workflow.NewConductorWorkflow(run).Name("go_people").Version(1).
		Add(workflow.NewHumanTask("ask"))
	must("a workflow with a person", flow.Register(true))
	id, err := run.StartWorkflow(&model.StartWorkflowRequest{Name: "go_people", Version: 1})
	must("its start", err)
	var found human.HumanTaskSearchResult
	until("the task", func() bool {
		found, _, err = tasks.Search(ctx, human.HumanTaskSearch{SearchType: "ADMIN", Size: 10, WorkflowNames: []string{"go_people"}})
		return err == nil && len(found.Results) == 1
	})
	task := found.Results[0]
	check("its workflow", task.WorkflowId == id && task.State == "ASSIGNED", task)
	claimed, _, err := tasks.ClaimTask(ctx, task.TaskId, nil)
	check("a claim", err == nil && claimed.State == "IN_PROGRESS", claimed)
	answer, err := tasks.ReleaseTask(ctx, task.TaskId)
	answered("a release", answer, err)
	claimed, _, err = tasks.AssignAndClaim(ctx, task.TaskId, "somebody", nil)
	check("a claim of somebody outside", err == nil && claimed.Claimant.User == "somebody", claimed)
	one, _, err := tasks.GetTask1(ctx, task.TaskId, nil)
	check("the task by its id", err == nil && one.TaskId == task.TaskId, one)
	done := client.HumanTaskApiUpdateTaskOutputOpts{Complete: optional.NewBool(true)}
	answer, err = tasks.UpdateTaskOutput(ctx, map[string]interface{}{"answer": 42}, task.TaskId, &done)
	answered("its end", answer, err)
	until("the end of its workflow", func() bool {
		seen, err := run.GetWorkflow(id, true)
		return err == nil && seen.Status == model.CompletedWorkflow && seen.Output["answer"] == float64(42)
	})
}
