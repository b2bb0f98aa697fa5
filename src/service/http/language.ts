/** Language of messages: English, or Simplified Chinese if `Accept-Language` prefers it (RFC 9110, 12.5.4). */
import type { Language } from '../i18n/message.ts'

/** Languages with traditional characters (`zh-Hant`, `zh-TW` …) receive English. */
const SIMPLIFIED = /^zh(-hans|-cn|-sg|-my)?(-|$)/i

/** @param accept value of Accept-Language. The highest weight wins; for equal weights, the first. */
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
