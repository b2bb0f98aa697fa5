/** Where files come in. It comes first; the options follow, closed, with defaults that need no thought. */
import type { ComponentChildren } from 'preact'
import { FileButton } from '../../../site/src/parts/drop-zone.tsx'
import type { Me } from '../api.ts'
import { Icon } from '../icons.tsx'
import { bytes, plural, t } from '../language.ts'
import { For } from '../parts.tsx'
import { changeWishes, useWishes, wishesText } from '../wishes.ts'
import { Options } from './options.tsx'
import { startHeld, takeFiles } from './take-files.ts'

interface DropRowProps {
  readonly me: Me
  /** Files that are dragged over the page. `undefined`: none. */
  readonly dragged: number | undefined
}

export function DropRow({ me, dragged }: DropRowProps) {
  const wishes = useWishes()
  const isOver = dragged !== undefined
  return (
    <For atLeast="member" else={<Note>{t('Viewers can view tasks and usage. Members can compress files.')}</Note>}>
      <div class={isOver ? 'drop drop--row is-over' : 'drop drop--row'}>
        <span class="drop__icon">
          <Icon name="upload" />
        </span>
        <div>
          <p class="drop__line">{isOver ? t('Drop to start') : t('Drop files anywhere on this page')}</p>
          <p class="muted small">
            {wishesText(wishes)}
            {me.limits && ` · ${t('up to {limit} each', { limit: bytes(me.limits.max_file_bytes) })}`}
          </p>
        </div>
        <div class="row">
          <FileButton onFiles={(files) => takeFiles(files, me)} class="btn btn--primary" icon="upload" label={t('Choose files')} />
        </div>
      </div>
      <details class="details" open={wishes.isOpen} onToggle={(event) => changeWishes({ isOpen: event.currentTarget.open })}>
        <summary>
          <Icon name="settings-2" />
          <span>{t('Options')}</span>
          <Icon name="chevron-down" />
        </summary>
        <Options />
        <Held me={me} />
      </details>
    </For>
  )
}

/** Files that wait until the person has chosen the options. */
function Held({ me }: { me: Me }) {
  const { held } = useWishes()
  if (held.length === 0) return <p class="details__body small muted">{t('While the options are open, chosen files wait for you.')}</p>
  return (
    <div class="details__body held">
      <p>{plural(held.length, '1 file chosen', '{count} files chosen')}</p>
      <div class="row">
        <button type="button" class="btn btn--primary" onClick={() => startHeld(me)}>
          {plural(held.length, 'Compress 1 file', 'Compress {count} files')}
        </button>
        <button type="button" class="btn" onClick={() => changeWishes({ held: [] })}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  )
}

const Note = ({ children }: { children: ComponentChildren }) => (
  <p class="note">
    <Icon name="info" />
    <span>{children}</span>
  </p>
)
