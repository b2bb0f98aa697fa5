import { useEffect, useRef, useState } from 'preact/hooks'
import { downloadUrl, type Task } from './api.ts'
import { bytes, t } from './language.ts'

/** Original and result play in sync; one of them is audible and visible. */
export function ComparePlayed({ file, task }: { file: File; task: Task }) {
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
        <fieldset class="zooms" aria-label={t('Version that plays')}>
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
