// One page per kind of record.
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ResourcePage } from './resource-page';

export const Users = (): ReactElement => <ResourcePage kind="users" />;
export const Groups = (): ReactElement => <ResourcePage kind="groups" />;
export const Applications = (): ReactElement => <ResourcePage kind="applications" />;
export const Roles = (): ReactElement => <ResourcePage kind="roles" />;
export const Secrets = (): ReactElement => <ResourcePage kind="secrets" />;
export const Environment = (): ReactElement => <ResourcePage kind="variables" />;
export const Tags = (): ReactElement => <ResourcePage kind="tags" />;
export const Webhooks = (): ReactElement => <ResourcePage kind="webhooks" />;
export const Forms = (): ReactElement => <ResourcePage kind="user-forms" />;
export const Prompts = (): ReactElement => <ResourcePage kind="prompts" />;
export const Integrations = (): ReactElement => <ResourcePage kind="integrations" />;
export const Models = (): ReactElement => <ResourcePage kind="models" />;
export const Schemas = (): ReactElement => <ResourcePage kind="schemas" />;
export const RemoteServices = (): ReactElement => <ResourcePage kind="services" />;
export const EventHandlers = (): ReactElement => <ResourcePage kind="event-handlers" />;
export const OutgoingWebhooks = (): ReactElement => <ResourcePage kind="outgoing-webhooks" />;
export const AuditLog = (): ReactElement => <ResourcePage kind="audit" />;

/** A resource that has no page of its own. */
export function Described(): ReactElement {
  const { name = '' } = useParams({ strict: false });
  return <ResourcePage key={name} kind={name} />;
}
