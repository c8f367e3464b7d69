"""Drives a server with authentication on with the published Python SDK: prompts, integrations, schemas, schedules, services and events.

Usage: sdk_registries.py http://127.0.0.1:PORT KEY_ID KEY_SECRET    Prints "all ok", or exits with 1 at the first check that fails.
"""

import sys

from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.event.event_client import EventClient
from conductor.client.event.queue.kafka_queue_configuration import (
    KafkaConsumerConfiguration,
    KafkaProducerConfiguration,
    KafkaQueueConfiguration,
)
from conductor.client.http.api.event_resource_api import EventResourceApi
from conductor.client.http.models import EventHandler, SaveScheduleRequest, StartWorkflowRequest, TaskDef, WorkflowDef, WorkflowTask
from conductor.client.http.models.integration_api_update import IntegrationApiUpdate
from conductor.client.http.models.integration_update import IntegrationUpdate
from conductor.client.http.models.schema_def import SchemaDef, SchemaType
from conductor.client.http.models.service_method import ServiceMethod
from conductor.client.http.models.service_registry import ServiceRegistry, ServiceType
from conductor.client.http.rest import ApiException
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.orkes.orkes_service_registry_client import OrkesServiceRegistryClient
from conductor.client.orkes_clients import OrkesClients

server, key_id, key_secret = sys.argv[1:4]
settings = AuthenticationSettings(key_id=key_id, key_secret=key_secret)
configuration = Configuration(base_url=server, authentication_settings=settings)
clients = OrkesClients(configuration)
tag = MetadataTag("team", "py")


def refused(status, call, *args):
    try:
        call(*args)
    except ApiException as error:
        assert error.status == status, f"{error.status} instead of {status}"
        return
    raise AssertionError(f"not refused with {status}")


def pairs(tags):
    return [(each["key"], each["value"]) if isinstance(each, dict) else (each.key, each.value) for each in tags]


def definitions():
    metadata = clients.get_metadata_client()
    metadata.register_task_def(TaskDef(name="py_registry_work"))
    task = WorkflowTask(name="py_registry_work", task_reference_name="w", type="SIMPLE")
    metadata.register_workflow_def(WorkflowDef(name="py_registry_flow", version=1, tasks=[task]), True)


def tokens():
    identity = clients.get_authorization_client()
    assert identity.generate_token(key_id, key_secret)["token"]
    assert identity.get_user_info_from_token()["id"].startswith("app:")
    refused(401, identity.generate_token, key_id, "wrong")


def groups_of_many():
    from conductor.client.http.models.upsert_group_request import UpsertGroupRequest
    from conductor.client.http.models.upsert_user_request import UpsertUserRequest

    identity = clients.get_authorization_client()
    identity.upsert_group(UpsertGroupRequest("many", ["USER"]), "py_many")
    members = ["one@x.org", "two@x.org"]
    for each in members:
        identity.upsert_user(UpsertUserRequest(each, ["USER"]), each)
    identity.add_users_to_group("py_many", members)
    assert sorted(user.id for user in identity.get_users_in_group("py_many")) == members
    identity.remove_users_from_group("py_many", members)
    assert identity.get_users_in_group("py_many") == []
    assert set(members) <= {user.id for user in identity.list_users()}
    assert "py_many" in [group.id for group in identity.list_groups()]
    for each in members:
        identity.delete_user(each)
    identity.delete_group("py_many")
    refused(404, identity.get_group, "py_many")


def prompts_and_integrations():
    integrations, prompts = clients.get_integration_client(), clients.get_prompt_client()
    update = IntegrationUpdate(category="AI_MODEL", type="openai", description="of Python", enabled=True, configuration={"api_key": "py key"})
    integrations.save_integration("py_ai", update)
    read = integrations.get_integration("py_ai")
    assert (read.category, read.type, read.enabled) == ("AI_MODEL", "openai", True), read
    assert "py key" not in str(read.configuration), read
    integrations.save_integration_api("py_ai", "model-1", IntegrationApiUpdate(description="a model", enabled=True, configuration={}))
    # The first argument becomes the first part of the path, whatever the SDK calls it.
    assert integrations.get_integration_api("py_ai", "model-1").api == "model-1"
    assert [each.api for each in integrations.get_integration_apis("py_ai")] == ["model-1"]
    assert integrations.get_integration_available_apis("py_ai") is not None
    assert "py_ai" in [each.name for each in integrations.get_integrations()]
    assert integrations.get_providers_and_integrations() is not None
    assert integrations.get_integration("py_no_ai") is None

    prompts.save_prompt("py_prompt", "of Python", "Hello ${name}\nand \"you\"", models=["py_ai:model-1"])
    assert prompts.get_prompt("py_prompt").variables == ["name"]
    prompts.save_prompt("py_prompt", "of Python", "Hi ${name}", auto_increment=True)
    assert prompts.get_prompt("py_prompt").template == "Hi ${name}"
    assert "py_prompt" in [each.name for each in prompts.get_prompts()]
    prompts.update_tag_for_prompt_template("py_prompt", [tag])
    assert pairs(prompts.get_tags_for_prompt_template("py_prompt")) == [("team", "py")]
    prompts.delete_tag_for_prompt_template("py_prompt", [tag])
    assert prompts.get_tags_for_prompt_template("py_prompt") == []
    integrations.associate_prompt_with_integration("py_ai", "model-1", "py_prompt")
    assert [each.name for each in integrations.get_prompts_with_integration("py_ai", "model-1")] == ["py_prompt"]
    integrations.put_tag_for_integration_provider([tag], "py_ai")
    assert pairs(integrations.get_tags_for_integration_provider("py_ai")) == [("team", "py")]
    integrations.delete_tag_for_integration_provider([tag], "py_ai")
    integrations.put_tag_for_integration([tag], "py_ai", "model-1")
    assert pairs(integrations.get_tags_for_integration("py_ai", "model-1")) == [("team", "py")]
    integrations.delete_tag_for_integration([tag], "py_ai", "model-1")
    assert integrations.get_token_usage_for_integration("py_ai", "model-1") == 0
    assert integrations.get_token_usage_for_integration_provider("py_ai") is not None
    prompts.delete_prompt("py_prompt")
    assert prompts.get_prompt("py_prompt") is None
    integrations.delete_integration_api("py_ai", "model-1")
    assert integrations.get_integration_api("py_ai", "model-1") is None
    integrations.delete_integration("py_ai")
    assert integrations.get_integration("py_ai") is None


def schemas():
    client = clients.get_schema_client()
    for version in [1, 2]:
        client.register_schema(SchemaDef(name="py_schema", version=version, type=SchemaType.JSON, data={"type": "object"}))
    assert client.get_schema("py_schema", 1).data == {"type": "object"}
    assert len([each for each in client.get_all_schemas() if each.name == "py_schema"]) >= 1
    client.delete_schema("py_schema", 1)
    refused(404, client.get_schema, "py_schema", 1)
    client.delete_schema_by_name("py_schema")
    refused(404, client.get_schema, "py_schema", 2)


def schedules():
    client = clients.get_scheduler_client()
    start = StartWorkflowRequest(name="py_registry_flow", version=1)
    client.save_schedule(SaveScheduleRequest(name="py_schedule", cron_expression="0 0 * ? * *", start_workflow_request=start))
    read = client.get_schedule("py_schedule")
    assert read.start_workflow_request.name == "py_registry_flow", read
    assert [each.name for each in client.get_all_schedules("py_registry_flow")] == ["py_schedule"]
    client.pause_schedule("py_schedule", "later")
    assert client.get_schedule("py_schedule").paused is True
    client.resume_schedule("py_schedule")
    assert client.get_schedule("py_schedule").paused is False
    assert len(client.get_next_few_schedule_execution_times("0 0 * ? * *", limit=3)) == 3
    client.pause_all_schedules()
    client.resume_all_schedules()
    client.requeue_all_execution_records()
    assert client.search_schedule_executions(query="scheduleName IN (py_schedule)").total_hits == 0
    client.set_scheduler_tags([tag], "py_schedule")
    assert pairs(client.get_scheduler_tags("py_schedule")) == [("team", "py")]
    client.delete_scheduler_tags([tag], "py_schedule")
    assert client.get_scheduler_tags("py_schedule") == []
    client.delete_schedule("py_schedule")
    assert "py_schedule" not in [each.name for each in client.get_all_schedules()]


def services():
    client = OrkesServiceRegistryClient(configuration)
    client.add_or_update_service(ServiceRegistry(name="py_service", type=ServiceType.HTTP, service_uri="http://127.0.0.1:9/api-docs"))
    read = client.get_service("py_service")
    assert read.service_uri == "http://127.0.0.1:9/api-docs"
    assert read.config.circuit_breaker_config.sliding_window_size > 0, read
    client.add_or_update_method("py_service", ServiceMethod(operation_name="look", method_name="/look", method_type="GET", input_type="", output_type=""))
    assert [each.operation_name for each in client.get_service("py_service").methods] == ["look"]
    assert client.get_circuit_breaker_status("py_service").current_state == "NOT_FOUND"
    assert client.is_circuit_breaker_open("py_service") is False
    client.set_proto_data("py_service", "one.proto", b'syntax = "proto3";')
    # The SDK can read neither a proto file nor their list: it has no model for bytes.
    client.delete_proto("py_service", "one.proto")
    client.remove_method("py_service", "py_service", "/look", "GET")
    assert "py_service" in [each.name for each in client.get_registered_services()]
    client.remove_service("py_service")
    assert "py_service" not in [each.name for each in client.get_registered_services()]


def events():
    api = EventResourceApi(clients.get_metadata_client().api_client)
    handler = EventHandler(name="py_handler", event="test:py", active=True, actions=[])
    api.add_event_handler(handler)
    handler.condition = "true"
    api.update_event_handler(handler)
    assert [each.name for each in api.get_event_handlers_for_event("test:py")] == ["py_handler"]
    assert "py_handler" in [each.name for each in api.get_event_handlers()]
    queue = KafkaQueueConfiguration("py")
    queue.add_consumer(KafkaConsumerConfiguration("127.0.0.1:9092"))
    queue.add_producer(KafkaProducerConfiguration("127.0.0.1:9092"))
    queues = EventClient(clients.get_metadata_client().api_client)
    queues.put_queue_configuration(queue)
    assert "127.0.0.1:9092" in str(queues.get_kafka_queue_configuration("py"))
    assert "kafka:py" in api.get_queue_names()
    queues.delete_queue_configuration(queue)
    refused(404, queues.get_kafka_queue_configuration, "py")
    api.remove_event_handler_status("py_handler")
    refused(404, api.remove_event_handler_status, "py_handler")


for check in [definitions, tokens, groups_of_many, prompts_and_integrations, schemas, schedules, services, events]:
    check()
    print("ok", check.__name__)
print("all ok")
