/** Options for the next files. They survive a change of the page; a reload forgets them. */
import { useEffect, useState } from 'preact/hooks'
import { FACTS } from '../../site/src/model/facts.ts'
import type { FormatId } from '../../site/src/model/protocol.ts'
import { commonOutputs, outputTitle, parseTarget } from '../../site/src/model/settings.ts'
import { bytes, t } from './language.ts'

export interface Wishes {
  readonly quality: 'low' | 'medium' | 'high' | 'ultra'
  /** Output id. Empty: the usual output of each file. */
  readonly format: string
  /** Largest size of a result as the person wrote it, and its unit. */
  readonly target: string
  readonly unit: 'kB' | 'MB'
  readonly password: string
  /** True: the person sees the options. Then files wait until the person starts them. */
  readonly isOpen: boolean
  /** Files that wait for the start. */
  readonly held: readonly File[]
}

export const USUAL: Wishes = { quality: 'medium', format: '', target: '', unit: 'kB', password: '', isOpen: false, held: [] }

let wishes = USUAL
const listeners = new Set<() => void>()

export const currentWishes = () => wishes

export function changeWishes(part: Partial<Wishes>): void {
  wishes = { ...wishes, ...part }
  for (const listener of listeners) listener()
}

export function useWishes(): Wishes {
  const [, draw] = useState({})
  useEffect(() => {
    const listener = () => draw({})
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return wishes
}

/** Largest size of a result in bytes. `undefined`: no limit. `NaN`: the text is no positive number. */
export const targetBytes = ({ target, unit }: Wishes): number | undefined => parseTarget(target, unit)

/** Options as the fields of the API. A format that a file does not fit was not offered. */
export function fieldsOf(wanted: Wishes): Record<string, string> {
  const target = targetBytes(wanted)
  return {
    quality: wanted.quality,
    format: wanted.format,
    password: wanted.password,
    target_size: target === undefined || Number.isNaN(target) ? '' : String(target),
  }
}

/** Text with a capital first letter. */
export const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Options in a few words: `Medium quality, same format`. */
export function wishesText(wanted: Wishes): string {
  const target = targetBytes(wanted)
  return [
    upper(t(`${wanted.quality} quality`)),
    wanted.format === '' ? t('same format') : outputTitle(wanted.format),
    ...(target === undefined || Number.isNaN(target) ? [] : [t('at most {size}', { size: bytes(target) })]),
    ...(wanted.password === '' ? [] : [t('with a password')]),
  ].join(t(', '))
}

/** Outputs that take any file. */
const ANY_FILE = ['zst', 'br', 'gz']

/** Format of a file by its extension. `undefined`: unknown. The service decides by the bytes. */
export function formatOf(name: string): FormatId | undefined {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const found = Object.entries(FACTS.formats).find(([, { extensions }]) => extensions.includes(extension))
  return found?.[0] as FormatId | undefined
}

/** Outputs that all of these files can have. */
export function outputsFor(names: readonly string[]): readonly string[] {
  const formats = names.map(formatOf)
  const known = formats.filter((format) => format !== undefined)
  return known.length === 0 || known.length < formats.length ? ANY_FILE : commonOutputs(known)
}
