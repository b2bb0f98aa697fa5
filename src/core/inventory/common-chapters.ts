/** Chapters of MP4, comments and ID3 in one form: number by time, start in seconds, and title. */
import type { Items } from './inventory.ts'
import { seconds } from './media/numbers.ts'

/** `chapter001 = 00:01:02.500`, and `chapter001name = title`. */
const COMMENT = /^(chapter\d+)(name)? = (.*)$/s
const TIME = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/
/** Number or name, start in seconds, and title of the other forms. */
const PLAIN = /^(.*?) = (\d+\.\d) (.*)$/s
/** Digest behind the title of an ID3 frame. */
const DIGEST = / ?\d+ bytes #\w+$/
/** Item of a table of contents, which only ID3 has. */
const CONTENTS = 'contents = '

/** Returns chapters without their numbers and names in the file. An item that cannot be read stays as it is. */
export function commonChapters(items: Items): Items {
  const names = new Map([...items.keys()].flatMap((item) => titleOf(item) ?? []))
  const found: { at: number; text: string }[] = []
  const common = new Map<string, number>()
  for (const [item, count] of items) {
    if (item.startsWith(CONTENTS) || titleOf(item)) continue
    const chapter = chapterOf(item, names)
    if (!chapter) common.set(item, count)
    else for (let i = 0; i < count; i++) found.push(chapter)
  }
  found.sort((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1))
  for (const [i, { at, text }] of found.entries()) common.set(`${i} = ${seconds(at)} ${text}`, 1)
  return common
}

/** Key and value of a comment with a title. */
function titleOf(item: string): [key: string, title: string][] | undefined {
  const [, key, isName, title] = COMMENT.exec(item) ?? []
  return key !== undefined && isName && title !== undefined ? [[key, title]] : undefined
}

function chapterOf(item: string, names: ReadonlyMap<string, string>): { at: number; text: string } | undefined {
  const [, key, , time = ''] = COMMENT.exec(item) ?? []
  const [, hours, minutes, rest] = TIME.exec(time.trim()) ?? []
  if (key !== undefined && hours !== undefined)
    return { at: Number(hours) * 3600 + Number(minutes) * 60 + Number(rest), text: names.get(key) ?? '' }
  const [, , start, title = ''] = PLAIN.exec(item) ?? []
  return start === undefined ? undefined : { at: Number(start), text: title.replace(DIGEST, '') }
}
