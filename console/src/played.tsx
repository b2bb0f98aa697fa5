import { useEffect, useRef, useState } from 'preact/hooks'
import { downloadUrl, resultOf, type Task } from './api.ts'
import { apiKey } from './connection.ts'
import { bytes, t } from './language.ts'

/** Address of the result. With a key, the player cannot load it itself, so the page does. `undefined`: it is being loaded. */
function useResultUrl(task: Task): string | undefined {
  const [url, setUrl] = useState(apiKey() === undefined ? downloadUrl(task.task_id) : undefined)
  useEffect(() => {
    if (apiKey() === undefined) return
    let made: string | undefined
    let isGone = false
    resultOf(task).then(
      (blob) => {
        if (!isGone) setUrl((made = URL.createObjectURL(blob)))
      },
      () => undefined,
    )
    return () => {
      isGone = true
      if (made) URL.revokeObjectURL(made)
    }
  }, [task.task_id])
  return url
}

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
  const after = useResultUrl(task)
  if (!before || !after) return null
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
    <figure class={plays ? 'played' : 'vh'}>
      <figcaption class="viewer__bar">
        <span class="small muted">{t('Before and after')}</span>
        <fieldset class="seg">
          <legend class="vh">{t('Version that plays')}</legend>
          {(['before', 'after'] as const).map((side) => (
            <label key={side}>
              <input type="radio" name={`played-${task.task_id}`} checked={side === shown} onChange={() => setShown(side)} />
              <span>
                {t(side === 'before' ? 'Before' : 'After')} {bytes((side === 'before' ? task.original_size : task.compressed_size) ?? 0)}
              </span>
            </label>
          ))}
        </fieldset>
      </figcaption>
      <div class="players">
        {element('before', before)}
        {element('after', after)}
      </div>
    </figure>
  )
}
