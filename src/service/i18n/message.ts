/** Messages of the API: errors of requests and of failed tasks. A message is a code of `en.ts` with its parameters. */
import { EN } from '../../core/i18n/en.ts'
import { setEnglishTexts } from '../../core/i18n/message.ts'
import { type AnyMessage, type ParametersOf, type PlainCodeOf, renderMessage, type Texts } from '../../core/i18n/text.ts'
import { ZH } from '../../core/i18n/zh.ts'
import { API_EN } from './en.ts'
import { API_ZH } from './zh.ts'

export type Language = 'en' | 'zh-Hans'

export type ApiCode = keyof typeof API_EN

declare const made: unique symbol

/** A message of the API. Only `apiMessage()` creates one, so that the compiler checks its parameters. */
export interface ApiMessage extends AnyMessage {
  readonly code: ApiCode & { readonly [made]: true }
}

/** A code whose text has no parameters. */
export type ApiPlainCode = PlainCodeOf<typeof API_EN>

/** A message, or the code of one that has no parameters. */
export type ApiMessageOrCode = ApiMessage | ApiPlainCode

/** Message as stored by any release. Older releases stored English sentences. */
export type StoredApiMessage = ApiMessage | string

export function apiMessage<C extends ApiCode>(code: C, ...[parameters]: ParametersOf<(typeof API_EN)[C]>): ApiMessage {
  return { code, ...parameters } as unknown as ApiMessage
}

export const toApiMessage = (said: ApiMessageOrCode): ApiMessage =>
  typeof said === 'string' ? ({ code: said } as unknown as ApiMessage) : said

/** True if a text is the code of a message without parameters. Schemas use such codes as messages. */
export const isPlainCode = (text: string): text is ApiPlainCode => Object.hasOwn(API_EN, text) && !API_EN[text as ApiCode].includes('{')

setEnglishTexts(EN)

const TABLES: { readonly [L in Language]: readonly Texts[] } = { en: [API_EN, EN], 'zh-Hans': [API_ZH, ZH, API_EN, EN] }

/** Returns the text of a message in a language, or in English if the language has none. */
export const translate = (language: Language, stored: AnyMessage | string): string =>
  typeof stored === 'string' ? stored : renderMessage(stored, ...TABLES[language])
