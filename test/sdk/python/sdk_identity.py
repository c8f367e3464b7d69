"""Drives a server with authentication on with the published Python SDK: applications, users, groups, roles, grants, secrets and tags.

Usage: sdk_identity.py http://127.0.0.1:PORT KEY_ID KEY_SECRET    Prints "all ok", or exits with 1 at the first check that fails.
"""

import sys

from conductor.client.configuration.configuration import Configuration
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.http.models import TaskDef, WorkflowDef, WorkflowTask
from conductor.client.http.models.create_or_update_application_request import CreateOrUpdateApplicationRequest
from conductor.client.http.models.create_or_update_role_request import CreateOrUpdateRoleRequest
from conductor.client.http.models.subject_ref import SubjectRef, SubjectType
from conductor.client.http.models.target_ref import TargetRef, TargetType
from conductor.client.http.models.upsert_group_request import UpsertGroupRequest
from conductor.client.http.models.upsert_user_request import UpsertUserRequest
from conductor.client.http.rest import ApiException
from conductor.client.orkes.models.access_type import AccessType
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.orkes_clients import OrkesClients

server, key_id, key_secret = sys.argv[1:4]
settings = AuthenticationSettings(key_id=key_id, key_secret=key_secret)
clients = OrkesClients(Configuration(base_url=server, authentication_settings=settings))
identity = clients.get_authorization_client()
secrets = clients.get_secret_client()
metadata = clients.get_metadata_client()


def refused(status, call, *args):
    try:
        call(*args)
    except ApiException as error:
        assert error.status == status, f"{error.status} instead of {status}"
        return str(error.body)
    raise AssertionError(f"not refused with {status}")


def applications():
    app = identity.create_application(CreateOrUpdateApplicationRequest("py app"))
    assert identity.get_application(app.id).name == "py app"
    assert app.id in [each.id for each in identity.list_applications()]
    assert identity.update_application(CreateOrUpdateApplicationRequest("py renamed"), app.id).name == "py renamed"
    identity.add_role_to_application_user(app.id, "USER")
    user = identity.get_user("app:" + app.id)
    assert [role.name for role in user.roles] == ["USER"], user.roles
    identity.remove_role_from_application_user(app.id, "USER")
    key = identity.create_access_key(app.id)
    assert key.secret
    assert [each.id for each in identity.get_access_keys(app.id)] == [key.id]
    assert identity.toggle_access_key_status(app.id, key.id).status == "INACTIVE"
    identity.set_application_tags([MetadataTag("k", "v")], app.id)
    assert len(identity.get_application_tags(app.id)) == 1
    identity.delete_application_tags([MetadataTag("k", "v")], app.id)
    identity.delete_access_key(app.id, key.id)
    identity.delete_application(app.id)
    assert app.id in refused(404, identity.get_application, app.id)


def users_groups_grants():
    identity.upsert_group(UpsertGroupRequest("a group", ["USER"]), "py_group")
    assert identity.get_group("py_group").description == "a group"
    assert identity.upsert_user(UpsertUserRequest("Py User", ["USER"]), "py@x.org").name == "Py User"
    identity.add_user_to_group("py_group", "py@x.org")
    assert [user.id for user in identity.get_users_in_group("py_group")] == ["py@x.org"]
    assert identity.get_granted_permissions_for_group("py_group") == []
    subject, target = SubjectRef(SubjectType.GROUP, "py_group"), TargetRef(TargetType.WORKFLOW_DEF, "py_flow")
    access = [AccessType.EXECUTE, AccessType.READ]
    identity.grant_permissions(subject, target, access)
    granted = identity.get_granted_permissions_for_group("py_group")
    assert [grant.target.id for grant in granted] == ["py_flow"], granted
    held = identity.get_permissions(target)
    assert [each.id for each in held["EXECUTE"]] == ["py_group"], held
    assert identity.check_permissions("py@x.org", "WORKFLOW_DEF", "py_flow")["EXECUTE"] is True
    identity.remove_permissions(subject, target, access)
    assert identity.get_permissions(target)["EXECUTE"] == []
    identity.remove_user_from_group("py_group", "py@x.org")
    identity.delete_user("py@x.org")
    identity.delete_group("py_group")
    assert "py@x.org" in refused(404, identity.get_user, "py@x.org")


def roles():
    identity.create_role(CreateOrUpdateRoleRequest("py_role", ["READ_WORKFLOW_DEF"]))
    assert identity.get_role("py_role")["name"] == "py_role"
    changed = CreateOrUpdateRoleRequest("py_role", ["READ_TASK_DEF"])
    assert identity.update_role("py_role", changed)["name"] == "py_role"
    assert "py_role" in [role.name for role in identity.list_custom_roles()]
    assert {"USER", "ADMIN", "METADATA_MANAGER", "WORKFLOW_MANAGER", "WORKER"} <= set(identity.list_system_roles())
    assert identity.list_available_permissions()
    identity.delete_role("py_role")
    refused(404, identity.get_role, "py_role")


def kept_secrets():
    secrets.put_secret("py_secret", "py value")
    assert secrets.get_secret("py_secret") == "py value"
    assert secrets.secret_exists("py_secret")
    assert "py_secret" in secrets.list_all_secret_names()
    secrets.set_secret_tags([MetadataTag("k", "v")], "py_secret")
    assert len(secrets.get_secret_tags("py_secret")) == 1
    secrets.delete_secret_tags([MetadataTag("k", "v")], "py_secret")
    secrets.delete_secret("py_secret")
    refused(404, secrets.get_secret, "py_secret")


def tags_of_definitions():
    metadata.register_task_def(TaskDef(name="py_work"))
    task = WorkflowTask(name="py_work", task_reference_name="w", type="SIMPLE")
    metadata.register_workflow_def(WorkflowDef(name="py_flow", version=1, tasks=[task]), True)
    metadata.add_workflow_tag(MetadataTag("k", "v"), "py_flow")
    assert [(tag.key, tag.value) for tag in metadata.get_workflow_tags("py_flow")] == [("k", "v")]
    metadata.delete_workflow_tag(MetadataTag("k", "v"), "py_flow")
    metadata.addTaskTag(MetadataTag("k", "v"), "py_work")
    assert len(metadata.getTaskTags("py_work")) == 1
    metadata.setWorkflowRateLimit(5, "py_flow")
    assert metadata.getWorkflowRateLimit("py_flow") == 5
    metadata.removeWorkflowRateLimit("py_flow")
    assert metadata.getWorkflowRateLimit("py_flow") is None


for check in [applications, users_groups_grants, roles, kept_secrets, tags_of_definitions]:
    check()
    print("ok", check.__name__)
print("all ok")
