/** Plays a film or a sound that came back from the service. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../language.ts'

/** True for films and sounds. */
export const isPlayed = ({ type }: Blob): boolean => /^(video|audio)\//.test(type)

export function Player({ name, result }: { name: string; result: Blob }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(result)
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [result])
  if (address === undefined) return null
  const label = t('{name}, after', { name })
  // A browser that cannot play the file shows nothing.
  const shared = { class: 'player', controls: true, src: address, 'aria-label': label, onError: () => setAddress(undefined) }
  return result.type.startsWith('video/') ? <video {...shared} /> : <audio {...shared} />
}
