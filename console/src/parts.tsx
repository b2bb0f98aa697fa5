/** Small parts that pages share. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from './language.ts'

/** A modal dialog of the browser's own: focus, Escape and screen readers come with it. */
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

/** What went wrong, told once and to screen readers. */
export function Problem(props: { error: string | undefined }) {
  return (
    <p role="alert" class={props.error ? 'problem' : 'problem empty'}>
      {props.error && t(props.error)}
    </p>
  )
}

export const message = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Loads once, and again on demand. */
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
