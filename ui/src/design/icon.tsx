// Icons of the page: one file of shapes (icons.svg), drawn in the colour of the text around them.
// An icon names a kind or an action; what it means stands beside it as a word, or as the name of
// its button.
import type { ReactElement } from 'react';
import sprite from './icons.svg?url&no-inline';

export const iconNames = [
  'audit',
  'auto',
  'bookmark',
  'branch',
  'bulk',
  'check',
  'code',
  'cols',
  'copy',
  'db',
  'def',
  'down',
  'edit',
  'event',
  'exec',
  'fail',
  'fan',
  'fit',
  'fork',
  'form',
  'grip',
  'http',
  'human',
  'inbox',
  'join',
  'key',
  'link',
  'loop',
  'menu',
  'minus',
  'moon',
  'more',
  'node',
  'overview',
  'pause',
  'people',
  'play',
  'plug',
  'plus',
  'queue',
  'redo',
  'rerun',
  'retry',
  'right',
  'save',
  'sched',
  'script',
  'search',
  'side',
  'skip',
  'sort',
  'st-bad',
  'st-end',
  'st-hold',
  'st-late',
  'st-ok',
  'st-run',
  'st-wait',
  'stop',
  'sub',
  'sun',
  'task',
  'undo',
  'wait',
  'warn',
  'worker',
  'x',
] as const;
export type IconName = (typeof iconNames)[number];

interface IconProps {
  readonly name: IconName;
  readonly className?: string;
}

export function Icon({ name, className = '' }: IconProps): ReactElement {
  return (
    <svg className={`i ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}

/** The same inside a drawing, 16 pixels wide, from its upper left corner. */
export function DrawnIcon({
  name,
  x,
  y,
  size = 16,
  className = '',
}: IconProps & { readonly x: number; readonly y: number; readonly size?: number }): ReactElement {
  return (
    <use
      className={`gi ${className}`}
      href={`${sprite}#${name}`}
      {...{ x, y, width: size, height: size }}
    />
  );
}
