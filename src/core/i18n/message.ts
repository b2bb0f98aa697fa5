/** Messages about files: steps of a receipt, details of a reason, errors of codecs. A message is a code of `en.ts` with its parameters. */
import type { EN } from './en.ts'
import { type AnyMessage, type ParametersOf, type PlainCodeOf, renderMessage, type Texts } from './text.ts'

export type Code = keyof typeof EN

declare const made: unique symbol

/** A message about a file. Only `message()` creates one, so that the compiler checks its parameters. */
export interface Message extends AnyMessage {
  readonly code: Code & { readonly [made]: true }
}

/** A code whose text has no parameters. */
type PlainCode = PlainCodeOf<typeof EN>

/** A message, or the code of one that has no parameters. */
export type MessageOrCode = Message | PlainCode

export function message<C extends Code>(code: C, ...[parameters]: ParametersOf<(typeof EN)[C]>): Message {
  return { code, ...parameters } as unknown as Message
}

export const toMessage = (said: MessageOrCode): Message => (typeof said === 'string' ? ({ code: said } as unknown as Message) : said)

let english: Texts = {}

/** Sets the texts of `englishText`. Tables of codecs and the service do so when they are loaded. */
export function setEnglishTexts(texts: typeof EN): void {
  english = texts
}

/** Loads the texts of `englishText`. Libraries do so with the first codec, so that their entry stays small. */
export const loadEnglishTexts = async (): Promise<void> => setEnglishTexts((await import('./en.ts')).EN)

/** English text of a message. Before `setEnglishTexts`: its code, with spaces instead of underscores. */
export const englishText = (said: Message): string => renderMessage(said, english)

/** Messages without duplicates, in their order. */
export const distinct = (said: readonly Message[]): Message[] => [...new Map(said.map((one) => [JSON.stringify(one), one])).values()]

/** Message as stored by any release. Older releases stored English sentences. */
export type StoredMessage = Message | string

export const revivedMessage = (stored: StoredMessage): Message => (typeof stored === 'string' ? message('text', { text: stored }) : stored)
