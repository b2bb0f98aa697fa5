/** Language of the console, and texts in it: English or Simplified Chinese. The English text is the key. */
import { addTexts, type Language, language, selectLanguage, sizeText } from '../../site/src/language.ts'

export { type Language, language, plural, savedPercent, t } from '../../site/src/language.ts'

/** Size in words with three figures: `84.3 kB`. */
export const bytes = sizeText

const STORED = 'whittle-language'

/** Language of this person: chosen earlier, or that of the browser. */
export const wantedLanguage = (): Language => ((localStorage.getItem(STORED) ?? navigator.language).startsWith('zh') ? 'zh' : 'en')

/** Selects the language. If its texts cannot be loaded, the page stays in the language that it has. */
export async function chooseLanguage(wanted: Language): Promise<void> {
  const more = wanted === 'zh' ? (await import('./chinese.ts')).chinese : {}
  await selectLanguage(wanted)
  addTexts(more)
  document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
}

export const keepLanguage = (wanted: Language) => localStorage.setItem(STORED, wanted)

const locale = () => (language() === 'zh' ? 'zh-CN' : 'en-GB')

export const dateTime = (iso: string) => new Date(iso).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' })

const MINUTE_MS = 60_000

/** Time of the past in words: `2 minutes ago`, `yesterday`, or the date if it is a week ago. */
export function timeAgo(iso: string, now = Date.now()): string {
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' })
  const minutes = Math.round((Date.parse(iso) - now) / MINUTE_MS)
  if (minutes > -1) return words.format(0, 'second')
  if (minutes > -60) return words.format(minutes, 'minute')
  if (minutes > -24 * 60) return words.format(Math.round(minutes / 60), 'hour')
  if (minutes > -7 * 24 * 60) return words.format(Math.round(minutes / (24 * 60)), 'day')
  return new Date(iso).toLocaleDateString(locale(), { day: 'numeric', month: 'short', year: 'numeric' })
}

/** Formats "2026-11" as "November 2026". */
export const monthName = (month: string) =>
  new Date(`${month}-15T00:00:00Z`).toLocaleDateString(locale(), { month: 'long', year: 'numeric' })

/** Formats a day such as "2026-11-20" as "20 November". */
export const dayName = (day: string) => new Date(`${day}T12:00:00Z`).toLocaleDateString(locale(), { day: 'numeric', month: 'long' })

/** Formats a count with separators: `1,284`. */
export const countText = (count: number) => Math.round(count).toLocaleString(locale())

/** Formats a duration as `45 s`, `3:20 min` or `2:05 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  const [large, small, unit] = minutes < 60 ? [minutes, seconds % 60, 'min'] : [Math.floor(minutes / 60), minutes % 60, 'h']
  return `${large}:${String(small).padStart(2, '0')} ${unit}`
}

/** Formats a time that something is kept as hours or days. */
export function keptFor(seconds: number): string {
  const hours = Math.round(seconds / 3600)
  if (hours < 48) return new Intl.NumberFormat(locale(), { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(hours)
  return new Intl.NumberFormat(locale(), { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(Math.round(hours / 24))
}
