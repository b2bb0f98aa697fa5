import type { Me } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { For } from '../parts.tsx'
import { takeFiles } from './take-files.ts'

const SAMPLE = '/console/sample.jpg'

/** Compresses a photo that comes with the console. */
export function SampleButton({ me }: { me: Me }) {
  const send = async () => {
    const picture = await (await fetch(SAMPLE)).blob()
    takeFiles([new File([picture], 'sample.jpg', { type: 'image/jpeg' })], me)
  }
  return (
    <For atLeast="member">
      <button type="button" class="btn" onClick={() => void send()}>
        <Icon name="image" />
        {t('Use a sample photo')}
      </button>
    </For>
  )
}
