// Gives a human task to somebody else.
import { useState, type ReactElement } from 'react';
import { ActionDialog, Field } from '../../design/controls';

interface Assignment {
  readonly assignee: { readonly userType: string; readonly user: string };
  readonly slaMinutes: number;
}

interface ReassignProps {
  readonly act: (assignments: readonly Assignment[]) => Promise<void>;
  readonly onClose: () => void;
}

const kinds = {
  CONDUCTOR_USER: 'A user of this server',
  CONDUCTOR_GROUP: 'A group of this server',
  EXTERNAL_USER: 'A user of another system',
  EXTERNAL_GROUP: 'A group of another system',
} as const;

export function Reassign({ act, onClose }: ReassignProps): ReactElement {
  const [userType, setUserType] = useState<string>('CONDUCTOR_USER');
  const [user, setUser] = useState('');
  const [minutes, setMinutes] = useState('0');
  return (
    <ActionDialog
      title="Reassign"
      effect="The task is for the one that you name, and not any more for whom it was."
      confirm="Reassign"
      act={() => act([{ assignee: { userType, user }, slaMinutes: Number(minutes) }])}
      onClose={onClose}
    >
      <Field
        label="For"
        kind="select"
        value={userType}
        options={Object.keys(kinds)}
        words={kinds}
        onChange={setUserType}
      />
      <Field label="Id" value={user} required onChange={setUser} />
      <Field
        label="Minutes"
        kind="number"
        value={minutes}
        hint="Until it moves on; 0: without a limit"
        onChange={setMinutes}
      />
    </ActionDialog>
  );
}
