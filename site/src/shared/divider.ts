/** Pointer behaviour of the divider between two pictures. */
import { useRef } from 'preact/hooks'

/** Distance in CSS pixels within which a pointer grabs the divider. */
const GRIP = 28

/**
 * Moves the divider if the pointer grabs it; otherwise scrolls an enlarged picture, which has the class `zoomed`.
 * @param share position of the divider in percent
 */
export function useDrag(stage: preact.RefObject<HTMLElement | null>, share: number, setShare: (share: number) => void) {
  const held = useRef<'handle' | { x: number; y: number; left: number; top: number } | null>(null)
  const shareAt = (event: PointerEvent) => {
    const box = stage.current!.getBoundingClientRect()
    return Math.round(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * 1000) / 10
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      const element = stage.current!
      const box = element.getBoundingClientRect()
      const isNear = Math.abs(event.clientX - box.left - (box.width * share) / 100) < GRIP
      if (isNear || !element.classList.contains('zoomed')) {
        held.current = 'handle'
        setShare(shareAt(event))
      } else held.current = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop }
      element.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: PointerEvent) => {
      const element = stage.current!
      if (held.current === 'handle') setShare(shareAt(event))
      else if (held.current) {
        element.scrollLeft = held.current.left - (event.clientX - held.current.x)
        element.scrollTop = held.current.top - (event.clientY - held.current.y)
      }
    },
    onPointerUp: () => {
      held.current = null
    },
  }
}
