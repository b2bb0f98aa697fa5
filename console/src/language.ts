/** Language of the console: English or Simplified Chinese. The English text is the key. */
import { chinese } from './chinese.ts'

export type Language = 'en' | 'zh'

const STORED = 'whittle-language'
let current: Language = (localStorage.getItem(STORED) as Language | null) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en')
document.documentElement.lang = current === 'zh' ? 'zh-Hans' : 'en'

export const language = () => current

export function setLanguage(wanted: Language): void {
  current = wanted
  localStorage.setItem(STORED, wanted)
  document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
}

/** Returns the text in the selected language and replaces `{name}` by values. */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const found = current === 'zh' ? (chinese[text] ?? text) : text
  return found.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

export const dateTime = (iso: string) =>
  new Date(iso).toLocaleString(current === 'zh' ? 'zh-CN' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** Formats "2026-11" as "November 2026". */
export const monthName = (month: string) =>
  new Date(`${month}-15T00:00:00Z`).toLocaleDateString(current === 'zh' ? 'zh-CN' : 'en-GB', { month: 'long', year: 'numeric' })

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [value, unit] = [count, 0]
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`
}

/** Formats a duration as `45 s`, `3:20 min` or `2:05 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  const [large, small, unit] = minutes < 60 ? [minutes, seconds % 60, 'min'] : [Math.floor(minutes / 60), minutes % 60, 'h']
  return `${large}:${String(small).padStart(2, '0')} ${unit}`
}
