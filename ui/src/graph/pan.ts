// Moving about in a graph: the pointer draws its ground, Ctrl and the wheel change its size.
import { useEffect, type RefObject } from 'react';

/** Something of the graph that takes the pointer itself. */
const things = '.graph-node, .graph-slot, a, button';

/** `step`: by how many sizes the graph becomes larger. */
export function usePan(frame: RefObject<HTMLElement | null>, step: (by: number) => void): void {
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    let from: { x: number; y: number; left: number; top: number } | undefined;
    const begin = (event: PointerEvent): void => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      if ((event.target as Element).closest(things) !== null) return;
      const { clientX: x, clientY: y } = event;
      from = { x, y, left: current.scrollLeft, top: current.scrollTop };
      current.setPointerCapture(event.pointerId);
      current.dataset['pans'] = 'true';
    };
    const move = ({ clientX, clientY }: PointerEvent): void => {
      if (from === undefined) return;
      current.scrollLeft = from.left + from.x - clientX;
      current.scrollTop = from.top + from.y - clientY;
    };
    const end = (): void => {
      from = undefined;
      delete current.dataset['pans'];
    };
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      step(event.deltaY < 0 ? 1 : -1);
    };
    current.addEventListener('pointerdown', begin);
    current.addEventListener('pointermove', move);
    current.addEventListener('pointerup', end);
    current.addEventListener('pointercancel', end);
    current.addEventListener('wheel', turn, { passive: false });
    return () => {
      current.removeEventListener('pointerdown', begin);
      current.removeEventListener('pointermove', move);
      current.removeEventListener('pointerup', end);
      current.removeEventListener('pointercancel', end);
      current.removeEventListener('wheel', turn);
    };
  });
}
