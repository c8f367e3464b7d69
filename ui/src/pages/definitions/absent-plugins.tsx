// Warns where a definition names a task type whose plug-in is absent, with what installs it: such a
// task fails for good.
import type { ReactElement } from 'react';
import type { WorkflowDef } from '../../api/types';
import { Icon } from '../../design/icon';
import { useProblems } from '../../editor/problems';
import { sentence } from '../../state/format';

export function AbsentPlugins({ definition }: { readonly definition: WorkflowDef }): ReactElement {
  const problems = useProblems(definition).filter(({ message }) =>
    message.includes(' need the plug-in '),
  );
  return (
    <>
      {problems.map(({ message }) => (
        <p key={message} role="status" className="note">
          <Icon name="warn" className="s" /> <span className="reason">{sentence(message)}</span>
        </p>
      ))}
    </>
  );
}
