/** Words of Chinese text for the search. Chinese has no spaces, so each pair of neighbouring characters counts as a word. */

/** Runs of Chinese characters. */
const CHINESE = /\p{Script=Han}+/gu
/** Text between two tags. */
const BETWEEN_TAGS = /(?<=>)[^<]+(?=<)/g
/** A heading, as a part of its own when a page is split by it. */
const HEADING = /(<h\d[\s\S]*?<\/h\d>)/
/** The permalink of a heading, and all tags. */
const TAGS = /<a [\s\S]*?<\/a>|<[^>]*>/g

/** Pairs of neighbouring characters. A single character stays as it is. */
function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length < 2 ? characters : characters.slice(1).map((character, i) => characters[i] + character)
}

/** Replaces each run of Chinese characters by its pairs, with spaces between them. */
export const withPairs = (text: string): string => text.replaceAll(CHINESE, (run) => ` ${pairsOf(run).join(' ')} `)

/** HTML of a page for the index. Headings stay, because results show them, and their pairs follow them. */
export const htmlForIndex = (html: string): string =>
  html
    .split(HEADING)
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(BETWEEN_TAGS, withPairs) : `${part}<p>${withPairs(part.replaceAll(TAGS, ' '))}</p>`))
    .join('')
