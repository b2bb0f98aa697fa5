/** Small components that pages share. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { isAtLeast, type Me, type Role } from './api.ts'
import { t } from './language.ts'

/** React context: the signed-in person. */
export const Self = createContext<Me | undefined>(undefined)

/** Shows its children only to people with the required role; others see `else`. */
export function For(props: { atLeast: Role; else?: ComponentChildren; children: ComponentChildren }) {
  const me = useContext(Self)
  return <>{me && isAtLeast(me.role, props.atLeast) ? props.children : props.else}</>
}

/** Modal dialog (`<dialog>`). The browser handles focus, Escape and screen readers. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} aria-label={props.title} onClose={props.onClose}>
      <h2>{props.title}</h2>
      {props.children}
      <p class="actions">
        <button type="button" onClick={() => element.current?.close()}>
          {t('Close')}
        </button>
      </p>
    </dialog>
  )
}

export function CopyButton(props: { text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(props.text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {copied ? t('Copied') : t('Copy')}
    </button>
  )
}

/** Error message, announced once to screen readers. */
export function Problem(props: { error: string | undefined }) {
  return (
    <p role="alert" class={props.error ? 'problem' : 'problem empty'}>
      {props.error && t(props.error)}
    </p>
  )
}

/** Placeholder while data is loading. */
export function Loading({ error }: { error: string | undefined }) {
  return error ? <Problem error={error} /> : <p aria-busy="true">{t('Loading…')}</p>
}

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
