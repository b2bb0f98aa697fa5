/** Chapters in comments (https://wiki.xiph.org/Chapter_Extension): `CHAPTER001=00:00:00.000`, `CHAPTER001NAME=title`. */
import type { Chapter, Tag } from '../sound-tags.ts'

/** True for the key of a comment about chapters, in lower case. */
export const isChapter = (key: string): boolean => /^chapter\d/.test(key)

const KEY = /^chapter(\d{1,6})(name)?$/
const TIME = /^(\d{1,3}):([0-5]?\d):([0-5]?\d(?:\.\d{1,9})?)$/

/** Returns the chapters that comments tell, by time. `undefined`: they tell more than times and titles, or are damaged. */
export function chaptersOf(comments: readonly Tag[]): Chapter[] | undefined {
  const [times, titles] = [new Map<number, number>(), new Map<number, string>()]
  for (const [key, value] of comments) {
    const [, number, name] = KEY.exec(key) ?? []
    if (number === undefined) return undefined
    const [known, told] = name ? [titles, value] : [times, secondsOf(value)]
    if (known.has(Number(number)) || told === undefined) return undefined
    if (typeof told === 'string') titles.set(Number(number), told)
    else times.set(Number(number), told)
  }
  if ([...titles.keys()].some((number) => !times.has(number))) return undefined
  const chapters = [...times].map(([number, seconds]) => ({ seconds, title: titles.get(number) ?? '' }))
  return chapters.sort((a, b) => a.seconds - b.seconds)
}

function secondsOf(time: string): number | undefined {
  const [, hours, minutes, seconds] = TIME.exec(time.trim()) ?? []
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Returns the comments of chapters, with numbers from 1. */
export const chapterComments = (chapters: readonly Chapter[]): string[] =>
  chapters.flatMap(({ seconds, title }, i) => {
    const key = `CHAPTER${digits(i + 1, 3)}`
    return [`${key}=${timeOf(Math.round(seconds * 1000))}`, ...(title ? [`${key}NAME=${title}`] : [])]
  })

const digits = (value: number, count: number) => String(value).padStart(count, '0')

function timeOf(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds % 60, 2)}.${digits(milliseconds % 1000, 3)}`
}
