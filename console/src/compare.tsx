/** Before and after: pictures and pages over each other with a handle between, sound and films switched while they play. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { downloadUrl, type Task } from './api.ts'
import { bytes, t } from './language.ts'
import { type Pages, pagesOf } from './pdf.ts'

/** A larger PDF is not drawn: the page would hold it twice. */
const MAX_PDF_BYTES = 50e6
const ZOOMS = [0, 1, 2, 4] as const
type Zoom = (typeof ZOOMS)[number]
/** A pointer this near takes the handle, in CSS pixels. */
const GRIP = 28

interface Pair {
  readonly before: string
  readonly after: string
}

/** Whatever this browser can show of both; nothing where it cannot. */
export function Compare({ file, task }: { file: File; task: Task }) {
  if (task.format === 'pdf') return file.size <= MAX_PDF_BYTES ? <ComparePages file={file} task={task} /> : null
  if (/^(audio|video)\//.test(file.type)) return <ComparePlayed file={file} task={task} />
  return /^image\//.test(file.type) ? <ComparePictures file={file} task={task} /> : null
}

function ComparePictures({ file, task }: { file: File; task: Task }) {
  const pair = usePair(task.task_id, async () => [file, await resultOf(task)])
  return pair ? <Stage pair={pair} task={task} caption={t('Before and after')} /> : null
}

function ComparePages({ file, task }: { file: File; task: Task }) {
  const [both, setBoth] = useState<readonly [Pages, Pages]>()
  const [number, setNumber] = useState(1)
  useEffect(() => {
    let gone = false
    let opened: readonly [Pages, Pages] | undefined
    const open = async () => {
      const [before, after] = await Promise.all([pagesOf(file), resultOf(task).then(pagesOf)])
      opened = [before, after]
      if (gone) for (const pages of opened) pages.close()
      else setBoth(opened)
    }
    void open().catch(() => undefined)
    return () => {
      gone = true
      for (const pages of opened ?? []) pages.close()
    }
  }, [task.task_id])
  const pair = usePair(both ? `${task.task_id} ${number}` : undefined, () => Promise.all(both!.map((pages) => pages.draw(number))))
  if (!both || !pair) return null
  const count = both[0].count
  const turn = (
    <>
      <button type="button" disabled={number <= 1} onClick={() => setNumber(number - 1)} aria-label={t('Page before')}>
        ‹
      </button>
      <span>{t('Page {number} of {count}', { number, count })}</span>
      <button type="button" disabled={number >= count} onClick={() => setNumber(number + 1)} aria-label={t('Next page')}>
        ›
      </button>
    </>
  )
  return (
    <Stage pair={pair} task={task} caption={t('Pages, before and after')}>
      {count > 1 && turn}
    </Stage>
  )
}

const resultOf = async (task: Task) => (await fetch(downloadUrl(task.task_id))).blob()

/** Addresses of two pictures, once both can be drawn; `load` runs when `key` changes. */
function usePair(key: string | undefined, load: () => Promise<readonly Blob[]>): Pair | undefined {
  const [pair, setPair] = useState<Pair>()
  useEffect(() => {
    if (key === undefined) return
    let made: string[] = []
    let gone = false
    const show = async () => {
      made = (await load()).map((picture) => URL.createObjectURL(picture))
      await Promise.all(made.map(drawable))
      if (!gone) setPair({ before: made[0]!, after: made[1]! })
    }
    // One of the two is nothing that this browser draws: there is nothing to compare.
    void show().catch(() => undefined)
    return () => {
      gone = true
      for (const url of made) URL.revokeObjectURL(url)
    }
  }, [key])
  return pair
}

const drawable = (url: string) =>
  new Promise<void>((resolve, reject) => {
    const image = new Image()
    image.onload = () => resolve()
    image.onerror = () => reject(new Error('not drawable'))
    image.src = url
  })

interface StageProps {
  readonly pair: Pair
  readonly task: Task
  readonly caption: string
  readonly children?: preact.ComponentChildren
}

function Stage({ pair, task, caption, children }: StageProps) {
  const [share, setShare] = useState(50)
  const [zoom, setZoom] = useState<Zoom>(0)
  const stage = useRef<HTMLDivElement>(null)
  const drag = useDrag(stage, share, setShare)
  const [left, setLeft] = useState(0)
  // What is shown right of the handle begins where the handle stands, also when the picture is scrolled.
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
          {t('Before')} {bytes(task.original_size)}
        </span>
        <span class="tag after">
          {t('After')} {bytes(task.compressed_size ?? 0)}
        </span>
      </div>
    </figure>
  )
}

/** The handle where the pointer takes it; elsewhere a zoomed picture is moved. */
function useDrag(stage: preact.RefObject<HTMLDivElement | null>, share: number, setShare: (share: number) => void) {
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

/** Both play together, and one is heard and seen. */
function ComparePlayed({ file, task }: { file: File; task: Task }) {
  const [shown, setShown] = useState<'before' | 'after'>('after')
  const [plays, setPlays] = useState(false)
  const [before, setBefore] = useState<string>()
  const players = { before: useRef<HTMLMediaElement>(null), after: useRef<HTMLMediaElement>(null) }
  useEffect(() => {
    const url = URL.createObjectURL(file)
    setBefore(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  if (!before) return null
  const follow = () => {
    const [first, second] = [players.after.current!, players.before.current!]
    if (Math.abs(first.currentTime - second.currentTime) > 0.05) second.currentTime = first.currentTime
    if (first.paused) second.pause()
    else void second.play().catch(() => undefined)
  }
  const Tag = file.type.startsWith('video/') ? 'video' : 'audio'
  const element = (side: 'before' | 'after', src: string) => (
    <Tag
      // biome-ignore lint/suspicious/noExplicitAny: a ref of either element
      ref={players[side] as any}
      src={src}
      muted={shown !== side}
      class={shown === side ? '' : 'behind'}
      playsInline
      aria-label={t(side === 'before' ? 'Before' : 'After')}
      {...(side === 'after'
        ? { controls: true, onPlay: follow, onPause: follow, onSeeked: follow, onTimeUpdate: follow, onCanPlay: () => setPlays(true) }
        : {})}
    />
  )
  return (
    <figure class={plays ? 'compare played' : 'hidden'}>
      <figcaption class="actions">
        <span>{t('Before and after')}</span>
        <fieldset class="zooms" aria-label={t('What plays')}>
          {(['before', 'after'] as const).map((side) => (
            <button key={side} type="button" aria-pressed={side === shown} onClick={() => setShown(side)}>
              {t(side === 'before' ? 'Before' : 'After')} {bytes((side === 'before' ? task.original_size : task.compressed_size) ?? 0)}
            </button>
          ))}
        </fieldset>
      </figcaption>
      <div class="players">
        {element('before', before)}
        {element('after', downloadUrl(task.task_id))}
      </div>
    </figure>
  )
}
