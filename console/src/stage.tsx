/** Two pictures on top of each other with a movable divider, fitted or enlarged up to 4:1. Works with pointer and keyboard. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useDrag } from './divider.ts'
import { bytes, t } from './language.ts'

const ZOOMS = [0, 1, 2, 4] as const
type Zoom = (typeof ZOOMS)[number]

/** URLs of both pictures. */
export interface Pair {
  readonly before: string
  readonly after: string
}

interface StageProps {
  readonly pair: Pair
  /** Sizes before and after, in bytes. */
  readonly sizes: readonly [number, number]
  readonly caption: string
  readonly children?: preact.ComponentChildren
}

export function Stage({ pair, sizes, caption, children }: StageProps) {
  const [share, setShare] = useState(50)
  const [zoom, setZoom] = useState<Zoom>(0)
  const stage = useRef<HTMLDivElement>(null)
  const drag = useDrag(stage, share, setShare)
  const [left, setLeft] = useState(0)
  // The right picture is clipped at the divider, also when the picture is scrolled.
  const cut = () => {
    const element = stage.current
    return element ? element.scrollLeft + (element.clientWidth * share) / 100 : 0
  }
  useEffect(() => setLeft(cut()), [share, zoom, pair])
  const width = zoom === 0 ? '' : `calc(var(--natural) * ${zoom} * 1px / ${devicePixelRatio})`
  return (
    <figure class="compare">
      <figcaption class="actions">
        <span>{caption}</span>
        {children}
        <fieldset class="zooms" aria-label={t('Zoom')}>
          {ZOOMS.map((one) => (
            <button key={one} type="button" aria-pressed={one === zoom} onClick={() => setZoom(one)}>
              {one === 0 ? t('Fit') : `${one}:1`}
            </button>
          ))}
        </fieldset>
      </figcaption>
      <div class="frame">
        <section
          ref={stage}
          class={zoom === 0 ? 'stage' : 'stage zoomed'}
          tabIndex={zoom === 0 ? -1 : 0}
          aria-label={caption}
          onScroll={() => setLeft(cut())}
          {...drag}
        >
          <div class="layers" style={{ width }}>
            <img
              src={pair.before}
              alt={t('Before')}
              draggable={false}
              onLoad={(event) => stage.current?.style.setProperty('--natural', String(event.currentTarget.naturalWidth))}
            />
            <img src={pair.after} alt={t('After')} draggable={false} style={{ clipPath: `inset(0 0 0 ${left}px)` }} />
          </div>
        </section>
        <div class="handle" style={{ left: `${share}%` }}>
          <input
            type="range"
            min={0}
            max={100}
            value={share}
            aria-label={t('Before and after')}
            onInput={(event) => setShare(Number(event.currentTarget.value))}
          />
          <span aria-hidden="true">‹ ›</span>
        </div>
        <span class="tag">
          {t('Before')} {bytes(sizes[0])}
        </span>
        <span class="tag after">
          {t('After')} {bytes(sizes[1])}
        </span>
      </div>
    </figure>
  )
}
