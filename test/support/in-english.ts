/** Converts messages to their English texts, so that tests can compare the texts of receipts. */
import { englishText, type Message } from '../../src/core/i18n/message.ts'

const isMessage = (value: object): value is Message => 'code' in value && typeof value.code === 'string'

/** Returns a copy of `value` in which every message is replaced by its English text. Other values are unchanged. */
export function inEnglish(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inEnglish)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  if (isMessage(value)) return englishText(value)
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, inEnglish(entry)]))
}

export const textsOf = (steps: readonly Message[]): string[] => steps.map(englishText)

export const textOfDetail = (detail: Message | undefined): string => (detail === undefined ? '' : englishText(detail))
