import {
  CHAPTER,
  CHAPTER_DISPLAY,
  CHAPTER_ENABLED,
  CHAPTER_HIDDEN,
  CHAPTER_START,
  CHAPTER_TITLE,
  EDITION,
  EDITION_HIDDEN,
  EDITION_ORDERED,
} from '../../../../containers/ebml/track-elements.ts'
import { type Chapter, MAX_CHAPTERS, MAX_TITLE_BYTES } from '../../../../containers/sound-tags.ts'
import { unsupported } from '../../../../model/error.ts'
import { type Child, type Content, childrenOf, rootOf } from '../content.ts'
import { childFields, textIn, wholeIn } from './fields.ts'

/**
 * Returns the chapters as a list, which is all that MP4 can hold.
 * @throws CodecError (unsupported_feature) for several editions, chapters in chapters, several titles of one, hidden or too many chapters
 */
export function chaptersIn(contents: readonly Content[]): Chapter[] {
  const editions = contents.flatMap((content) =>
    [...childrenOf(content, 0, rootOf(content).end)].filter(({ id }) => id === EDITION).map((edition) => ({ content, edition })),
  )
  if (editions.length > 1) throw unsupported('mkv_chapters_not_in_mp4')
  const chapters = editions.flatMap(({ content, edition }) => chaptersOf(content, edition))
  if (chapters.length > MAX_CHAPTERS) throw unsupported('mkv_chapters_not_in_mp4')
  return chapters.sort((a, b) => a.seconds - b.seconds)
}

function chaptersOf(content: Content, edition: Child): Chapter[] {
  const fields = childFields(content, edition)
  if ([EDITION_HIDDEN, EDITION_ORDERED].some((id) => wholeIn(content, fields.get(id)))) throw unsupported('mkv_chapters_not_in_mp4')
  return [...childrenOf(content, edition.bodyAt, edition.end)]
    .filter(({ id }) => id === CHAPTER)
    .map((chapter) => chapterOf(content, chapter))
}

function chapterOf(content: Content, chapter: Child): Chapter {
  const children = [...childrenOf(content, chapter.bodyAt, chapter.end)]
  const fields = childFields(content, chapter)
  const displays = children.filter(({ id }) => id === CHAPTER_DISPLAY)
  const isPlain =
    !fields.has(CHAPTER) && !wholeIn(content, fields.get(CHAPTER_HIDDEN)) && wholeIn(content, fields.get(CHAPTER_ENABLED)) !== 0
  const [display] = displays
  const title = (display && textIn(content, childFields(content, display).get(CHAPTER_TITLE))) ?? ''
  if (!isPlain || displays.length > 1 || new TextEncoder().encode(title).length > MAX_TITLE_BYTES)
    throw unsupported('mkv_chapters_not_in_mp4')
  return { seconds: (wholeIn(content, fields.get(CHAPTER_START)) ?? 0) / 1e9, title }
}
