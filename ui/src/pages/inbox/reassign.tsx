// Gives a human task to somebody else.
import { useState, type ReactElement } from 'react';
import type { HumanTaskAssignment, HumanTaskUser } from '../../api/types';
import { ActionDialog, Field } from '../../design/controls';

interface ReassignProps {
  readonly act: (assignments: readonly HumanTaskAssignment[]) => Promise<void>;
  readonly onClose: () => void;
}

type UserType = HumanTaskUser['userType'];

const kinds: Readonly<Record<UserType, string>> = {
  CONDUCTOR_USER: 'A user of this server',
  CONDUCTOR_GROUP: 'A group of this server',
  EXTERNAL_USER: 'A user of another system',
  EXTERNAL_GROUP: 'A group of another system',
};

export function Reassign({ act, onClose }: ReassignProps): ReactElement {
  const [userType, setUserType] = useState<UserType>('CONDUCTOR_USER');
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
        onChange={(chosen) => setUserType(chosen as UserType)}
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
