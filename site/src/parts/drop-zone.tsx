/** Where files come in: drop, choose, paste, camera. The whole page accepts dropped and pasted files, see `intake.ts`. */
import { useRef, useState } from 'preact/hooks'
import { pastedFiles } from '../intake.ts'
import { t } from '../language.ts'
import { Icon } from './icon.tsx'

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  /** Files that are dragged over the page. `undefined`: none. */
  readonly dragged: number | undefined
}

export function DropZone({ onFiles, dragged }: DropZoneProps) {
  const [problem, setProblem] = useState<string>()
  const paste = () =>
    pastedFiles().then(onFiles, () => setProblem(t('There is no picture to paste. Copy one, then press Ctrl + V or ⌘ V.')))
  return (
    <div class={dragged === undefined ? 'drop drop--hero' : 'drop drop--hero is-over'}>
      <span class="drop__icon">
        <Icon name="upload" />
      </span>
      <div>
        <p class="drop__title">{dragged === undefined ? t('Drop files here') : t('Drop to start')}</p>
        <p class="muted">{t('Pictures, PDF, Office, data. Up to 200 MB each.')}</p>
      </div>
      <div class="row">
        <FileButton onFiles={onFiles} class="btn btn--primary btn--lg" icon="upload" label={t('Choose files')} />
        <button type="button" class="btn btn--lg fine-only" onClick={paste}>
          <Icon name="clipboard-paste" />
          {t('Paste')}
        </button>
        <FileButton onFiles={onFiles} class="btn btn--lg coarse-only" icon="camera" label={t('Take a photo')} isCamera />
      </div>
      {problem && (
        <p class="small" role="status">
          {problem}
        </p>
      )}
      <p class="private">
        <Icon name="lock" />
        {t('Your files do not leave this device unless you send them. No account needed.')}
      </p>
      <DropArt />
    </div>
  )
}

interface FileButtonProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly class: string
  readonly icon: 'upload' | 'camera' | 'plus'
  readonly label: string
  /** True: opens the camera of a phone. */
  readonly isCamera?: boolean
}

/** Button that opens the browser's file dialog. */
export function FileButton({ onFiles, class: look, icon, label, isCamera = false }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class={look} onClick={() => input.current?.click()}>
        <Icon name={icon} />
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        {...(isCamera ? { accept: 'image/*', capture: 'environment' } : { multiple: true })}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          // The same file can be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

const DropArt = () => (
  <svg class="drop__art" viewBox="0 0 150 180" aria-hidden="true">
    <path class="drop__sheet" d="M1 11A10 10 0 0 1 11 1h86l48 48v119a10 10 0 0 1-10 10H11a10 10 0 0 1-10-10z" />
    <path class="drop__sheet drop__sheet--less" d="M1 61a10 10 0 0 1 10-10h54l34 34v83a10 10 0 0 1-10 10H11a10 10 0 0 1-10-10z" />
    <path class="drop__sheet--least" d="M1 104a9 9 0 0 1 9-9h28l24 24v50a9 9 0 0 1-9 9H10a9 9 0 0 1-9-9z" />
    <path class="drop__tick" d="m20 145 8 8 15-17" />
  </svg>
)
