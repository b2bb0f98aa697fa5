/** In which language messages come: English, or Simplified Chinese for who prefers it (`Accept-Language`, RFC 9110, 12.5.4). */
import { CHINESE } from './chinese.ts'

export type Language = 'en' | 'zh-Hans'

/** Those who read traditional characters are better served by English than by simplified ones. */
const SIMPLIFIED = /^zh(-hans|-cn|-sg|-my)?(-|$)/i

/** `accept`: of the header. What weighs most; of two that weigh the same, the first. */
export function languageOf(accept: string | undefined): Language {
  let best: { language: Language; weight: number } | undefined
  for (const range of (accept ?? '').slice(0, 500).split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const language = SIMPLIFIED.test(tag) && !/hant|-tw|-hk|-mo/i.test(tag) ? 'zh-Hans' : /^en(-|$)/i.test(tag) ? 'en' : undefined
    const weight = Number(parameters.find((part) => /^q=/i.test(part))?.slice(2) ?? 1)
    if (language && weight > (best?.weight ?? 0)) best = { language, weight }
  }
  return best?.language ?? 'en'
}

interface Pattern {
  readonly sentence: RegExp
  readonly chinese: string
}

/** Sentences that carry something, in the order of the list: the first that fits counts. */
let patterns: readonly Pattern[] | undefined

function compiled(): readonly Pattern[] {
  return Object.entries(CHINESE)
    .filter(([english]) => english.includes('{'))
    .map(([english, chinese]) => {
      const source = english.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>.*?)`)
      return { sentence: new RegExp(`^${source}$`, 's'), chinese }
    })
}

/** What a sentence carries that is a phrase of ours; all else is the caller's, and stays as it is. */
const PHRASES: readonly string[] = ['why', 'what', 'other', 'where']
/** A longer one has a caller's text in it that nobody wants to read. */
const MAX_LENGTH = 1000

/** A message of ours in Chinese; what is not in the list stays English. */
export function inChinese(message: string): string {
  if (Object.hasOwn(CHINESE, message)) return CHINESE[message]!
  if (message.length > MAX_LENGTH) return message
  patterns ??= compiled()
  for (const { sentence, chinese } of patterns) {
    const carried = sentence.exec(message)?.groups
    if (carried) {
      const filled = (name: string) => (PHRASES.includes(name) ? inChinese(carried[name] ?? '') : (carried[name] ?? ''))
      return chinese.replace(/\{(\w+)\}/g, (_, name: string) => filled(name))
    }
  }
  return message
}
