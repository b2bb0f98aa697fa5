/** Plays a sound of the list as the person gave it. A sound that the browser cannot decode has an icon instead of the button. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../language.ts'
import { Icon } from '../parts/icon.tsx'

/** The sound that plays. Another one stops it. */
let playing: HTMLAudioElement | undefined

export function SoundButton({ file }: { file: File }) {
  const audio = useRef<HTMLAudioElement | undefined>(undefined)
  const [state, setState] = useState<'paused' | 'playing' | 'unplayable'>('paused')
  useEffect(() => {
    setState('paused')
    return () => {
      const { current } = audio
      audio.current = undefined
      current?.pause()
      if (current) URL.revokeObjectURL(current.src)
    }
  }, [file])
  const press = () => {
    audio.current ??= soundOf(file, setState)
    if (state === 'playing') return audio.current.pause()
    playing?.pause()
    playing = audio.current
    void audio.current.play().catch(() => undefined)
  }
  if (state === 'unplayable') {
    return (
      <span class="thumb">
        <Icon name="audio-lines" />
      </span>
    )
  }
  const isPlaying = state === 'playing'
  return (
    <button
      type="button"
      class="thumb thumb--play"
      aria-label={isPlaying ? t('Pause {name}', { name: file.name }) : t('Play {name}', { name: file.name })}
      onClick={press}
    >
      <Icon name={isPlaying ? 'pause' : 'play'} />
    </button>
  )
}

function soundOf(file: File, tell: (state: 'paused' | 'playing' | 'unplayable') => void): HTMLAudioElement {
  const audio = new Audio(URL.createObjectURL(file))
  audio.onplay = () => tell('playing')
  audio.onpause = () => tell('paused')
  audio.onended = () => tell('paused')
  audio.onerror = () => tell('unplayable')
  return audio
}
