/** Sections of docs/contributors/measured.md that one benchmark writes as a whole, between markers. */

const markers = (bench: string) => [`<!-- npm run bench -- ${bench} -->\n`, `<!-- end of ${bench} -->\n`] as const

/** Returns the section of a benchmark with its markers. Empty: `text` has none. */
export function sectionOf(text: string, bench: string): string {
  const [begin, end] = markers(bench)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  return from === -1 || to < from ? '' : text.slice(from, to + end.length)
}

/** Returns `text` with a new section of a benchmark. */
export function withSection(text: string, bench: string, content: string): string {
  const before = sectionOf(text, bench)
  const [begin, end] = markers(bench)
  const section = `${begin}${content}${end}`
  return before === '' ? `${text}\n${section}` : text.replace(before, () => section)
}

/** Returns a table in Markdown. */
export const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  `${[head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`
