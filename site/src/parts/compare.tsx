/** Two pictures on top of each other with a movable divider, fitted or enlarged. Works with pointer, touch and keyboard. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { sizeText, t } from '../language.ts'
import { useDrag } from '../shared/divider.ts'
import { Icon } from './icon.tsx'

/** Pixels of the picture per pixel of the screen. 0: the picture fits the frame. */
export type Zoom = 0 | 1 | 2

interface CompareProps {
  /** Addresses of the pictures. `undefined`: it is loaded later, and only the result is shown. */
  readonly before: string | undefined
  readonly after: string
  /** Sizes of the files in bytes, before and after. */
  readonly sizes: readonly [number, number]
  readonly zoom?: Zoom
  /** What the picture shows, for screen readers. */
  readonly alt?: string
  /** Width and height of the picture, so that the page does not move when it arrives. */
  readonly dimensions?: readonly [number, number]
  readonly onDimensions?: (width: number, height: number) => void
  readonly children?: ComponentChildren
}

export function Compare({ before, after, sizes, zoom = 0, alt, dimensions, onDimensions, children }: CompareProps) {
  const [share, setShare] = useState(50)
  const frame = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLElement>(null)
  const drag = useDrag(stage, share, setShare)
  const place = () => {
    const [outer, inner] = [frame.current, stage.current]
    if (!outer || !inner) return
    outer.style.setProperty('--x', `${share}%`)
    // In an enlarged picture, the divider stays in its place while the picture scrolls.
    outer.style.setProperty('--cut', zoom === 0 ? `${share}%` : `${inner.scrollLeft + (inner.clientWidth * share) / 100}px`)
  }
  useEffect(place, [share, zoom, after, before])
  useCentred(stage, zoom)
  const onLoad = ({ currentTarget: { naturalWidth, naturalHeight } }: { currentTarget: HTMLImageElement }) => {
    frame.current?.style.setProperty('--width', String(naturalWidth))
    frame.current?.style.setProperty('--height', String(naturalHeight))
    onDimensions?.(naturalWidth, naturalHeight)
    place()
  }
  const size = dimensions ? { width: dimensions[0], height: dimensions[1] } : {}
  const name = alt ?? t('Your picture')
  return (
    <div class={zoom === 0 ? 'compare' : `compare compare--x${zoom}`} ref={frame}>
      <figure
        ref={stage}
        class={zoom === 0 ? 'compare__stage' : 'compare__stage zoomed'}
        tabIndex={zoom === 0 ? -1 : 0}
        aria-label={name}
        onScroll={place}
        {...drag}
      >
        <div class="compare__layers">
          {before && <img src={before} alt={t('{name}, before', { name })} draggable={false} {...size} />}
          <img class={before ? 'after' : ''} src={after} alt={t('{name}, after', { name })} draggable={false} onLoad={onLoad} {...size} />
        </div>
      </figure>
      {before && <Divider share={share} onShare={setShare} />}
      {before && (
        <span class="compare__tag">
          {t('Before')} {sizeText(sizes[0])}
        </span>
      )}
      <span class="compare__tag compare__tag--r">
        {t('After')} {sizeText(sizes[1])}
      </span>
      {children}
    </div>
  )
}

const Divider = ({ share, onShare }: { share: number; onShare: (share: number) => void }) => (
  <>
    <input
      type="range"
      class="compare__range"
      min={0}
      max={100}
      step={1}
      value={share}
      aria-label={t('Before and after: move the divider')}
      onInput={(event) => onShare(Number(event.currentTarget.value))}
    />
    <span class="compare__line" />
    <span class="compare__grip">
      <Icon name="chevrons-left-right" />
    </span>
  </>
)

/** Shows the middle of a picture that was just enlarged. */
function useCentred(stage: { readonly current: HTMLElement | null }, zoom: Zoom): void {
  useEffect(() => {
    const element = stage.current
    if (!element || zoom === 0) return
    element.scrollLeft = (element.scrollWidth - element.clientWidth) / 2
    element.scrollTop = (element.scrollHeight - element.clientHeight) / 2
  }, [zoom])
}
