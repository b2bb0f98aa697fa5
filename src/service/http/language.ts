/** In which language messages come: English, or Simplified Chinese for who prefers it (`Accept-Language`, RFC 9110, 12.5.4). */
import type { Language } from '../i18n/message.ts'

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
