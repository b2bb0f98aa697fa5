/** What works without a network, as far as it is true on this device. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../language.ts'
import { isSaved, onSaved } from '../service-worker.ts'
import { Icon } from './icon.tsx'

export function Offline() {
  const [isOffline, setOffline] = useState(false)
  const [isWhole, setWhole] = useState(isSaved())
  useEffect(() => {
    const follow = () => setOffline(!navigator.onLine)
    follow()
    addEventListener('online', follow)
    addEventListener('offline', follow)
    const end = onSaved(() => setWhole(true))
    return () => {
      removeEventListener('online', follow)
      removeEventListener('offline', follow)
      end()
    }
  }, [])
  if (!isOffline) return null
  return (
    <div class="note" role="status">
      <Icon name="wifi-off" />
      <div>
        <b>{t('You are offline.')}</b> {isWhole ? t('Everything on this page still works.') : t('Formats that you used before still work.')}
      </div>
    </div>
  )
}
