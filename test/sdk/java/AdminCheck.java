// Drives a server with authentication on with the published Java client: keys, users, groups, grants, secrets, environment,
// tags, prompts, integrations, schemas, schedules, services and events.
// Usage: java -cp LIBRARIES AdminCheck.java http://127.0.0.1:PORT/api KEY SECRET   Prints "ok NAME" per check; exits with 1 at the first that fails.

import com.netflix.conductor.client.exception.ConductorClientException;
import com.netflix.conductor.common.metadata.SchemaDef;
import com.netflix.conductor.common.metadata.events.EventHandler;
import com.netflix.conductor.common.metadata.tasks.TaskDef;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import com.netflix.conductor.common.metadata.workflow.WorkflowDef;
import com.netflix.conductor.common.metadata.workflow.WorkflowTask;
import com.netflix.conductor.common.model.ServiceMethod;
import com.netflix.conductor.common.model.ServiceRegistry;
import io.orkes.conductor.client.ApiClient;
import io.orkes.conductor.client.OrkesClients;
import io.orkes.conductor.client.model.AuthorizationRequest;
import io.orkes.conductor.client.model.CreateOrUpdateApplicationRequest;
import io.orkes.conductor.client.model.GenerateTokenRequest;
import io.orkes.conductor.client.model.OrkesEventHandler;
import io.orkes.conductor.client.model.SaveScheduleRequest;
import io.orkes.conductor.client.model.SubjectRef;
import io.orkes.conductor.client.model.Tag;
import io.orkes.conductor.client.model.TagObject;
import io.orkes.conductor.client.model.TargetRef;
import io.orkes.conductor.client.model.UpsertGroupRequest;
import io.orkes.conductor.client.model.UpsertUserRequest;
import io.orkes.conductor.client.model.integration.Category;
import io.orkes.conductor.client.model.integration.IntegrationApiUpdate;
import io.orkes.conductor.client.model.integration.IntegrationUpdate;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

public class AdminCheck {
    private final String url;
    private final OrkesClients clients;

    private AdminCheck(String url, String key, String secret) {
        this.url = url;
        clients = new OrkesClients(new ApiClient(url, key, secret));
    }

    public static void main(String[] args) {
        AdminCheck check = new AdminCheck(args[0], args[1], args[2]);
        check.tokens(args[1], args[2]);
        check.applications();
        check.usersGroupsAndGrants();
        check.secrets();
        check.environment();
        check.definitionsAndTags();
        check.promptsAndIntegrations();
        check.schemas();
        check.schedules();
        check.services();
        check.events();
        System.out.println("all ok");
        System.exit(0);
    }

    private static void equal(String name, Object expected, Object seen) {
        if (!Objects.equals(expected, seen)) {
            System.out.println("failed: " + name + "; expected: " + expected + "; seen: " + seen);
            System.exit(1);
        }
        System.out.println("ok " + name);
    }

    /** The status that a call is refused with. */
    private static int refused(Runnable call) {
        try {
            call.run();
            return 200;
        } catch (ConductorClientException error) {
            return error.getStatus();
        }
    }

    private static TagObject tag(String key, String value) {
        return TagObject.builder().key(key).value(value).build();
    }

    private void tokens(String key, String secret) {
        var tokens = clients.getTokenClient();
        equal("a token", true, tokens.generateToken(new GenerateTokenRequest(key, secret)).getToken().length() > 20);
        equal("the caller", true, tokens.getUserInfo().getId().startsWith("app:"));
        equal("a wrong secret", 401, refused(() -> tokens.generateToken(new GenerateTokenRequest(key, "wrong"))));
    }

    private void applications() {
        var identity = clients.getAuthorizationClient();
        var request = new CreateOrUpdateApplicationRequest();
        request.setName("java application");
        String id = identity.createApplication(request).getId();
        equal("an application", "java application", identity.getApplication(id).getName());
        request.setName("java renamed");
        equal("its new name", "java renamed", identity.updateApplication(request, id).getName());
        equal("its place in the list", true, identity.listApplications().stream().anyMatch(each -> each.getId().equals(id)));
        var key = identity.createAccessKey(id);
        equal("its keys", List.of(key.getId()), identity.getAccessKeys(id).stream().map(each -> each.getId()).toList());
        equal("its owner by key", id, identity.getApplicationByAccessKeyId(key.getId()).getId());
        identity.addRoleToApplicationUser(id, "WORKER");
        equal("its user", "WORKER", identity.getUser("app:" + id).getRoles().get(0).getName());
        OrkesClients worker = new OrkesClients(new ApiClient(url, key.getId(), key.getSecret()));
        equal("its rights", 403, refused(() -> worker.getAuthorizationClient().listUsers(false)));
        equal("its tasks", 403, refused(() -> worker.getTaskClient().pollTask("java_not_granted", "java", null)));
        identity.removeRoleFromApplicationUser(id, "WORKER");
        equal("a key switched off", "INACTIVE", identity.toggleAccessKeyStatus(id, key.getId()).getStatus().name());
        identity.setApplicationTags(List.of(tag("team", "java")), id);
        equal("its tags", 1, identity.getApplicationTags(id).size());
        identity.deleteApplicationTags(List.of(tag("team", "java")), id);
        equal("its tags removed", 0, identity.getApplicationTags(id).size());
        identity.deleteAccessKey(id, key.getId());
        identity.deleteApplication(id);
        equal("a removed application", 404, refused(() -> identity.getApplication(id)));
    }

    private void usersGroupsAndGrants() {
        var identity = clients.getAuthorizationClient();
        var group = new UpsertGroupRequest();
        group.setDescription("of Java");
        group.setRoles(List.of(UpsertGroupRequest.RolesEnum.USER));
        group.setDefaultAccess(Map.of("WORKFLOW_DEF", List.of("READ"), "TASK_DEF", List.of("READ", "EXECUTE")));
        equal("a group", "java-group", identity.upsertGroup(group, "java-group").getId());
        equal("its access to what members make", List.of("READ"), identity.getGroup("java-group").getDefaultAccess().get("WORKFLOW_DEF"));
        var user = new UpsertUserRequest();
        user.setName("Java User");
        user.setRoles(List.of(UpsertUserRequest.RolesEnum.USER));
        user.setGroups(List.of("java-group"));
        equal("a user", "java-group", identity.upsertUser(user, "java@x.org").getGroups().get(0).getId());
        identity.sendInviteEmail("java@x.org");
        equal("the users", true, identity.listUsers(false).stream().anyMatch(each -> each.getId().equals("java@x.org")));
        equal("the groups", true, identity.listGroups().stream().anyMatch(each -> each.getId().equals("java-group")));
        equal("members", 1, identity.getUsersInGroup("java-group").size());
        identity.removeUserFromGroup("java-group", "java@x.org");
        identity.addUserToGroup("java-group", "java@x.org");
        equal("no grants of a user", List.of(), identity.getGrantedPermissionsForUser("java@x.org").getGrantedAccess());
        for (TargetRef.TypeEnum type : TargetRef.TypeEnum.values()) {
            var grant = new AuthorizationRequest();
            grant.setSubject(new SubjectRef().id("java-group").type(SubjectRef.TypeEnum.GROUP));
            grant.setTarget(new TargetRef().id("java_target").type(type));
            grant.setAccess(List.of(AuthorizationRequest.AccessEnum.EXECUTE, AuthorizationRequest.AccessEnum.READ));
            identity.grantPermissions(grant);
            var held = identity.getPermissions(type.name(), "java_target");
            equal("a grant on " + type, "java-group", held.get("READ").get(0).getId());
            identity.removePermissions(grant);
            equal("no grant on " + type, List.of(), identity.getPermissions(type.name(), "java_target").get("EXECUTE"));
        }
        equal("no grants of a group", List.of(), identity.getGrantedPermissionsForGroup("java-group").getGrantedAccess());
        identity.deleteUser("java@x.org");
        identity.deleteGroup("java-group");
        equal("a removed user", 404, refused(() -> identity.getUser("java@x.org")));
        equal("a removed group", 404, refused(() -> identity.getGroup("java-group")));
    }

    private void secrets() {
        var secrets = clients.getSecretClient();
        secrets.putSecret("a \"quoted\" value", "java_secret");
        equal("a secret", "a \"quoted\" value", secrets.getSecret("java_secret"));
        equal("its existence", true, secrets.secretExists("java_secret"));
        equal("no existence", false, secrets.secretExists("java_no_secret"));
        equal("all names", true, secrets.listAllSecretNames().contains("java_secret"));
        equal("names to grant", true, secrets.listSecretsThatUserCanGrantAccessTo().contains("java_secret"));
        secrets.setSecretTags(List.of(tag("team", "java")), "java_secret");
        equal("its tags", "java", secrets.getSecretTags("java_secret").get(0).getValue());
        secrets.deleteSecretTags(List.of(tag("team", "java")), "java_secret");
        secrets.deleteSecret("java_secret");
        equal("a removed secret", 404, refused(() -> secrets.getSecret("java_secret")));
        int again = refused(() -> secrets.deleteSecret("java_secret"));
        equal("its second removal", true, again == 200 || again == 500);
    }

    private void environment() {
        var environment = clients.getEnvironmentClient();
        environment.createOrUpdateEnvironmentVariable("java_env", "{\"a\": 1}");
        equal("a variable", "{\"a\": 1}", environment.getEnvironmentVariable("java_env"));
        equal("all variables", true, environment.getAllEnvironmentVariables().stream().anyMatch(each -> each.getName().equals("java_env")));
        Tag tag = Tag.builder().key("team").value("java").build();
        environment.setEnvironmentVariableTags("java_env", List.of(tag));
        equal("its tags", List.of(tag), environment.getEnvironmentVariableTags("java_env"));
        environment.deleteEnvironmentVariableTags("java_env", List.of(tag));
        equal("what it held", "{\"a\": 1}", environment.deleteEnvironmentVariable("java_env"));
    }

    private static WorkflowDef flow(String name) {
        WorkflowTask task = new WorkflowTask();
        task.setName("java_admin_task");
        task.setTaskReferenceName("a");
        task.setType("SIMPLE");
        WorkflowDef def = new WorkflowDef();
        def.setName(name);
        def.setVersion(1);
        def.setOwnerEmail("sdk@downbeat.test");
        def.setTasks(List.of(task));
        return def;
    }

    private void definitionsAndTags() {
        var metadata = clients.getMetadataClient();
        metadata.registerTaskDefs(List.of(new TaskDef("java_admin_task", "of Java", "sdk@downbeat.test", 0, 0, 60)));
        metadata.registerWorkflowDef(flow("java_admin_flow"), true);
        metadata.addWorkflowTag(tag("team", "java"), "java_admin_flow");
        equal("tags of a workflow", "java", metadata.getWorkflowTags("java_admin_flow").get(0).getValue());
        metadata.deleteWorkflowTag(tag("team", "java"), "java_admin_flow");
        metadata.setTaskTags(List.of(tag("team", "java"), tag("kind", "work")), "java_admin_task");
        equal("tags of a task", 2, metadata.getTaskTags("java_admin_task").size());
        equal("all tags", true, metadata.getTags().stream().anyMatch(each -> "work".equals(each.getValue())));
        equal("a definition with its tags", "java_admin_flow", metadata.getWorkflowDefWithMetadata("java_admin_flow", 1).getName());
    }

    private void promptsAndIntegrations() {
        var integrations = clients.getIntegrationClient();
        var prompts = clients.getPromptClient();
        integrations.saveIntegration("java_ai", IntegrationUpdate.builder().category(Category.AI_MODEL).type("openai")
            .description("of Java").enabled(true).configuration(Map.of("api_key", "java key")).build());
        equal("an integration", Category.AI_MODEL, integrations.getIntegration("java_ai").getCategory());
        equal("its key", false, "java key".equals(integrations.getIntegration("java_ai").getConfiguration().get("api_key")));
        integrations.saveIntegrationApi("java_ai", "model-1", IntegrationApiUpdate.builder().description("a model").enabled(true)
            .maxTokens(1_000L).frequency(IntegrationApiUpdate.Frequency.DAILY).build());
        equal("a model", "model-1", integrations.getIntegrationApi("java_ai", "model-1").getApi());
        equal("its models", 1, integrations.getIntegrationApis("java_ai").size());
        equal("the integrations", true, integrations.getIntegrations("AI_MODEL", true).stream().anyMatch(each -> each.getName().equals("java_ai")));
        prompts.savePrompt("java_prompt", "of Java", "Hello ${name}", List.of("java_ai:model-1"), 1, false);
        equal("a prompt", List.of("name"), prompts.getPrompt("java_prompt").getVariables());
        prompts.savePrompt("java_prompt", "of Java", "Hi ${name}", List.of("java_ai:model-1"), null, true);
        equal("its versions", 2, prompts.getAllPromptVersions("java_prompt").size());
        prompts.updatePrompt("java_prompt", 1, "changed", "Bye ${name}", List.of("java_ai:model-1"));
        equal("its first version", "Bye ${name}", prompts.getPrompt("java_prompt", 1).getTemplate());
        equal("the prompts", true, prompts.getPrompts().stream().anyMatch(each -> each.getName().equals("java_prompt")));
        prompts.updateTagForPromptTemplate("java_prompt", List.of(tag("team", "java")));
        equal("tags of a prompt", 1, prompts.getTagsForPromptTemplate("java_prompt").size());
        prompts.deleteTagForPromptTemplate("java_prompt", List.of(tag("team", "java")));
        integrations.associatePromptWithIntegration("java_ai", "model-1", "java_prompt");
        equal("tokens of a model", 0, integrations.getTokenUsageForIntegration("java_ai", "model-1"));
        equal("tokens of an integration", Map.of("model-1", 0), integrations.getTokenUsageForIntegrationProvider("java_ai"));
        integrations.saveTagForIntegration(List.of(tag("team", "java")), "java_ai");
        equal("tags of an integration", 1, integrations.getTagsForIntegration("java_ai").size());
        integrations.deleteTagForIntegration(List.of(tag("team", "java")), "java_ai");
        prompts.deletePrompt("java_prompt", 2);
        prompts.deletePrompt("java_prompt");
        equal("a removed prompt", 404, refused(() -> prompts.getPrompt("java_prompt")));
        integrations.deleteIntegrationApi("java_ai", "model-1");
        integrations.deleteIntegration("java_ai");
        equal("a removed integration", null, integrations.getIntegration("java_ai"));
    }

    private void schemas() {
        var schemas = clients.getSchemaClient();
        var schema = new SchemaDef("java_schema", SchemaDef.Type.JSON, Map.of("type", "object"), null);
        schemas.saveSchema(schema);
        schema.setVersion(2);
        schemas.saveSchemas(List.of(schema));
        equal("a schema", Map.of("type", "object"), schemas.getSchema("java_schema", 2).getData());
        equal("its newest version", 2, schemas.getSchema("java_schema").getVersion());
        equal("the schemas", true, schemas.getAllSchemas(true).stream().anyMatch(each -> each.getName().equals("java_schema")));
        schemas.deleteSchema("java_schema", 1);
        schemas.deleteSchema("java_schema");
        equal("a removed schema", 404, refused(() -> schemas.getSchema("java_schema")));
    }

    private void schedules() {
        var scheduler = clients.getSchedulerClient();
        var start = new StartWorkflowRequest();
        start.setName("java_admin_flow");
        start.setVersion(1);
        scheduler.saveSchedule(SaveScheduleRequest.builder().name("java_schedule").cronExpression("0 0 * ? * *").startWorkflowRequest(start).build());
        equal("a schedule", "java_admin_flow", scheduler.getSchedule("java_schedule").getStartWorkflowRequest().getName());
        equal("schedules of a workflow", 1, scheduler.getAllSchedules("java_admin_flow").size());
        scheduler.pauseSchedule("java_schedule", "later");
        equal("its pause", "later", scheduler.getSchedule("java_schedule").getPausedReason());
        scheduler.resumeSchedule("java_schedule");
        equal("many at once", List.of("java_schedule"), scheduler.pauseSchedulers(List.of("java_schedule")).getBulkSuccessfulResults());
        scheduler.resumeSchedulers(List.of("java_schedule"));
        equal("its next times", 3, scheduler.getNextFewSchedules("0 0 * ? * *", null, null, 3).size());
        scheduler.pauseAllSchedules();
        scheduler.resumeAllSchedules();
        scheduler.requeueAllExecutionRecords();
        scheduler.search(0, 10, "startTime:DESC", "*", "");
        scheduler.setSchedulerTags(List.of(tag("team", "java")), "java_schedule");
        equal("tags of a schedule", 1, scheduler.getSchedulerTags("java_schedule").size());
        scheduler.deleteSchedulerTags(List.of(tag("team", "java")), "java_schedule");
        scheduler.deleteSchedule("java_schedule");
        equal("a removed schedule", 404, refused(() -> scheduler.getSchedule("java_schedule")));
    }

    private void services() {
        var services = clients.getServiceRegistryClient();
        var service = new ServiceRegistry();
        service.setName("java_service");
        service.setType(ServiceRegistry.Type.HTTP);
        service.setServiceURI("http://127.0.0.1:9/api-docs");
        service.setCircuitBreakerEnabled(true);
        services.addOrUpdateService(service);
        equal("a service", "http://127.0.0.1:9/api-docs", services.getService("java_service").getServiceURI());
        equal("the services", true, services.getRegisteredServices().stream().anyMatch(each -> each.getName().equals("java_service")));
        var method = new ServiceMethod();
        method.setOperationName("look");
        method.setMethodName("/look");
        method.setMethodType("GET");
        method.setInputType("");
        method.setOutputType("");
        services.addOrUpdateServiceMethod("java_service", method);
        equal("its method", "look", services.getService("java_service").getMethods().get(0).getOperationName());
        equal("its breaker, not used yet", 404, refused(() -> services.openCircuitBreaker("java_service")));
        equal("its state", "NOT_FOUND", services.getCircuitBreakerStatus("java_service").getCurrentState());
        byte[] proto = "syntax = \"proto3\";".getBytes(StandardCharsets.UTF_8);
        services.setProtoData("java_service", "one.proto", proto);
        equal("a proto file", new String(proto), new String(services.getProtoData("java_service", "one.proto")));
        equal("the proto files", 1, services.getAllProtos("java_service").size());
        services.deleteProto("java_service", "one.proto");
        services.removeService("java_service");
        equal("a removed service", null, services.getService("java_service"));
    }

    private void events() {
        var events = clients.getEventClient();
        var tag = Tag.builder().key("team").value("java").build();
        var handler = OrkesEventHandler.orkesBuilder().name("java_handler").event("test:java").active(true)
            .actions(List.of()).tags(List.of(tag)).build();
        events.registerEventHandler(handler);
        handler.setDescription("changed");
        events.updateEventHandler(handler);
        equal("a handler", "changed", events.getOrkesEventHandlers("test:java", true).get(0).getDescription());
        equal("the handlers", true, events.getOrkesEventHandlers().stream().anyMatch(each -> each.getName().equals("java_handler")));
        events.putTagsForEventHandler("java_handler", List.of(tag));
        equal("tags of a handler", List.of(tag), events.getTagsForEventHandler("java_handler"));
        equal("a handler of the common kind", true, events.getEventHandlers("test:java", true).get(0) instanceof EventHandler);
        events.unregisterEventHandler("java_handler");
        equal("a removed handler", 404, refused(() -> events.unregisterEventHandler("java_handler")));
    }
}
