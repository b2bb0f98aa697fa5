/** Language of the page: English or Simplified Chinese. The English text is the key. */

export type Language = 'en' | 'zh'

type Texts = Readonly<Record<string, string>>

let current: Language = 'en'
let texts: Texts = {}

export const language = () => current

/** Selects the language, and loads its texts. @throws Error if the texts cannot be loaded */
export async function selectLanguage(wanted: Language): Promise<void> {
  if (wanted === 'zh') texts = (await import('./chinese.ts')).CHINESE
  current = wanted
}

/** Adds texts in the selected language, for another page that uses the components of this one. */
export function addTexts(more: Texts): void {
  texts = { ...texts, ...more }
}

/** Returns the text in the selected language and replaces `{name}` by values. */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const found = current === 'zh' ? (texts[text] ?? text) : text
  return found.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** Text with a count: `one` for 1, otherwise `many`. `{count}` stands for the count. */
export const plural = (count: number, one: string, many: string) => t(count === 1 ? one : many, { count: count.toLocaleString('en') })

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Size in words with three figures: `84.3 kB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1]
  // The space does not break, so that number and unit stay in one line.
  return `${unit === 0 ? value : value.toPrecision(3)}\u00a0${UNITS[unit]}`
}

/** Saving in percent, rounded down so that it never claims too much. */
export const savedPercent = (before: number, after: number) => (before === 0 ? 0 : Math.floor((1 - after / before) * 100))
