/** Small components that pages share. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { isAtLeast, type Me, type Role } from './api.ts'
import { Icon, type IconName } from './icons.tsx'
import { bytes, savedPercent, t } from './language.ts'

/** React context: the signed-in person. */
export const Self = createContext<Me | undefined>(undefined)

/** Shows its children only to people with the required role; others see `else`. */
export function For(props: { atLeast: Role; else?: ComponentChildren; children: ComponentChildren }) {
  const me = useContext(Self)
  return <>{me && isAtLeast(me.role, props.atLeast) ? props.children : props.else}</>
}

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** True for dialogs with a receipt. */
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

/** Modal dialog (`<dialog>`). The browser handles focus, Escape and screen readers. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} class={isWide ? 'dialog dialog--wide' : 'dialog'} aria-label={title} onClose={onClose}>
      <div class="dialog__head">
        <h2>{title}</h2>
        <button type="button" class="btn btn--quiet btn--icon btn--sm" aria-label={t('Close')} onClick={() => element.current?.close()}>
          <Icon name="x" />
        </button>
      </div>
      {children}
    </dialog>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  /** Label of the button that confirms. */
  readonly action: string
  /** True: the action cannot be undone. */
  readonly isDanger?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before an action, with a button for it and one to cancel. */
export const ConfirmDialog = ({ title, text, action, isDanger = false, onConfirm, onClose }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{text}</p>
    <div class="row">
      <button type="button" class={`btn ${isDanger ? 'btn--danger' : 'btn--primary'}`} onClick={onConfirm}>
        {action}
      </button>
      <button type="button" class="btn" onClick={onClose}>
        {t('Cancel')}
      </button>
    </div>
  </Dialog>
)

/** Size before and after, and the share that was saved. */
export const SizeChange = ({ before, after }: { before: number; after: number }) => (
  <>
    <span class="sizes">
      <s>{bytes(before)}</s>
      <Icon name="arrow-right" />
      <b>{bytes(after)}</b>
    </span>
    <span class="saved">−{savedPercent(before, after)} %</span>
  </>
)

export function CopyButton({ text, isMain = false }: { text: string; isMain?: boolean }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <button type="button" class={isMain ? 'btn btn--sm btn--primary' : 'btn btn--sm'} onClick={copy} aria-live="polite">
      <Icon name={copied ? 'check' : 'copy'} />
      {copied ? t('Copied') : t('Copy')}
    </button>
  )
}

/** Error message, announced once to screen readers. */
export const Problem = ({ error }: { error: string | undefined }) => (
  <div role="alert">
    {error && (
      <p class="note note--bad">
        <Icon name="circle-alert" />
        <span>{t(error)}</span>
      </p>
    )}
  </div>
)

/** Placeholder while data is loading. It appears after a moment, so that fast answers do not flicker. */
export function Loading({ error }: { error?: string | undefined }) {
  if (error) return <Problem error={error} />
  return (
    <div class="loading card" aria-busy="true">
      <span class="vh">{t('Loading…')}</span>
      {[0, 1, 2].map((row) => (
        <div key={row} class="loading__row">
          <span class="skel" />
          <span class="skel" />
          <span class="skel" />
        </div>
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly text?: string
  readonly children?: ComponentChildren
}

/** What a list says that has nothing in it, and what to do next. */
export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {text && <p>{text}</p>}
    {children && <div class="row">{children}</div>}
  </div>
)

interface CardProps {
  readonly title: string
  readonly sub?: ComponentChildren
  /** Buttons or a link beside the title. */
  readonly end?: ComponentChildren
  /** True: the title is a name that a person chose, so another card may have the same. Default: false. */
  readonly isNamed?: boolean
  readonly children: ComponentChildren
}

/** Section with a title. It is a region with that name, or a group, because two regions with one name are not told apart. */
export const Card = ({ title, sub, end, isNamed = false, children }: CardProps) => (
  <section class="card" aria-label={title} role={isNamed ? 'group' : undefined}>
    <div class="card__head">
      <div>
        <h2>{title}</h2>
        {sub && <p class="small muted">{sub}</p>}
      </div>
      {end}
    </div>
    {children}
  </section>
)

/** Bar of a share from 0 to 1. The text beside it says the figures. */
export const Bar = ({ share, isThin = false }: { share: number; isThin?: boolean }) => (
  <div class={isThin ? 'bar bar--thin' : 'bar'} aria-hidden="true">
    <i style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
  </div>
)

export const message = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Loads data once, and again on request. */
export function useLoaded<T>(load: () => Promise<T>) {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const reload = async () => {
    try {
      setValue(await load())
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void reload(), [])
  return { value, error, reload, setError }
}
