// Words for the subjects and resources of grants.
import type { Right } from '../../state/rights';
import { applicationPrefix } from '../../state/who';

export const rightsInOrder: readonly Right[] = ['READ', 'EXECUTE', 'UPDATE', 'DELETE', 'CREATE'];

const words: Readonly<Record<string, string>> = {
  WORKFLOW_DEF: 'workflow definition',
  WORKFLOW: 'execution',
  TASK_DEF: 'task definition',
  WORKFLOW_SCHEDULE: 'schedule',
  EVENT_HANDLER: 'event handler',
  WEBHOOK: 'webhook',
  USER_FORM_TEMPLATE: 'form',
  SECRET_NAME: 'secret',
  ENV_VARIABLE: 'variable',
  INTEGRATION_PROVIDER: 'integration',
  INTEGRATION: 'model',
  PROMPT: 'prompt',
  SCHEMA: 'schema',
  SERVICE_REGISTRY: 'remote service',
  API_GATEWAY_SERVICE: 'gateway service',
  API_GATEWAY_SERVICE_ROUTE: 'gateway route',
  APPLICATION: 'application',
  DOMAIN: 'domain',
  TAG: 'tag',
};

/** Types of resources that one can choose, the usual ones first. */
export const resourceTypes: readonly string[] = Object.keys(words);

export function typeWord(type: string): string {
  return words[type] ?? type.toLowerCase().replaceAll('_', ' ');
}

interface Named {
  readonly type: string;
  readonly id: string;
}

export function targetWords({ type, id }: Named): string {
  return id === '*' ? `every ${typeWord(type)}` : `the ${typeWord(type)} ${id}`;
}

export function subjectKind({ type, id }: Named): string {
  if (type !== 'USER') return type.toLowerCase();
  return id.startsWith(applicationPrefix) ? 'application' : 'user';
}

/** An application by its id, which `Who` shows as its name. */
export function subjectWords(subject: Named): string {
  const { type, id } = subject;
  const isApplication = type === 'USER' && id.startsWith(applicationPrefix);
  return isApplication ? id : `${subjectKind(subject)} ${id}`;
}
