// A menu of actions. One that cannot be taken stands in it with the reason.
import { DropdownMenu } from 'radix-ui';
import type { ReactElement } from 'react';
import { Icon, type IconName } from './icon';

export interface MenuAction {
  readonly title: string;
  readonly icon: IconName;
  /** The effect, in a few words. */
  readonly about?: string;
  /** Why it cannot be taken now. */
  readonly refused?: string | undefined;
  readonly act: () => void;
  /** Draws a line above it. */
  readonly isApart?: boolean;
  /** It cannot be taken back: in red. */
  readonly isFinal?: boolean;
}

interface MenuProps {
  /** Name of the button that opens it. */
  readonly label: string;
  /** Stands on the button instead of three dots. */
  readonly word?: string;
  readonly actions: readonly MenuAction[];
}

export function Menu({ label, word, actions }: MenuProps): ReactElement {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={word === undefined ? 'button only-icon' : 'button'}
        aria-label={label}
        title={label}
      >
        {word}
        <Icon
          name={word === undefined ? 'more' : 'down'}
          className={word === undefined ? '' : 's'}
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6}>
          {actions.map(({ title, icon, about, refused, act, isApart = false, isFinal }) => (
            <DropdownMenu.Group key={title}>
              {isApart && <DropdownMenu.Separator className="menu-line" />}
              <DropdownMenu.Item
                className={isFinal === true ? 'final' : undefined}
                aria-disabled={refused !== undefined}
                onSelect={(event) => {
                  if (refused === undefined) act();
                  else event.preventDefault();
                }}
              >
                <Icon name={icon} />
                <span>
                  <b>{title}</b>
                  {(refused ?? about) !== undefined && <small>{refused ?? about}</small>}
                </span>
              </DropdownMenu.Item>
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
