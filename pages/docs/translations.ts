/**
 * The Chinese pages of the documentation, `docs/zh`. Each has the path of its English page, and names the SHA-256 of the English text that it
 * was made from. If the English text has changed since, the page says so. Code is not repeated: `<!-- code: WORDS -->` shows the code of the
 * English page that contains WORDS, and `<!-- kinds -->` the kinds of the inventory.
 *
 * `node pages/docs/translations.ts` lists pages whose English text has changed. `node pages/docs/translations.ts accept FILE …` notes that the
 * named pages agree with their English text again.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { INVENTORY } from '../../src/core/i18n/zh/inventory.ts'
import { codeOf } from './markdown.ts'

/** Folder of the Chinese pages. */
export const CHINESE_FOLDER = 'docs/zh'
/** Front matter of a Chinese page. */
const FRONT_MATTER = /^---\nenglish: ([0-9a-f]{64})\n---\n\n?/
/** Place of a block of code, alone on its line. */
const CODE = /^ *<!-- code: (.+?) -->$/gm
const KINDS = '<!-- kinds -->'

export interface Translation {
  /** Path of the Chinese file from the root of the repository. */
  readonly source: string
  /** Path of its English file. */
  readonly english: string
  /** True if the English text has changed since it was translated. */
  readonly isStale: boolean
  /** Text without front matter. */
  readonly text: string
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** All Chinese pages, by path. @throws Error if a page has no English page, or does not name the text that it was made from */
export function translationsOf(root: string): Translation[] {
  const files = globSync('**/*.md', { cwd: join(root, CHINESE_FOLDER) }).sort()
  return files.map((file) => {
    const source = `${CHINESE_FOLDER}/${file.replaceAll('\\', '/')}`
    const english = source.replace(CHINESE_FOLDER, 'docs')
    const content = readFileSync(join(root, source), 'utf8')
    const [head = '', hash] = FRONT_MATTER.exec(content) ?? []
    if (hash === undefined) throw new Error(`${source} does not begin with the hash of its English text.`)
    const isStale = hashOf(readFileSync(join(root, english), 'utf8')) !== hash
    return { source, english, isStale, text: content.slice(head.length) }
  })
}

/** Words of all code marks of a page, in its order. */
export const codeMarks = ({ text }: Translation): string[] => [...text.matchAll(CODE)].map(([, words = '']) => words)

/** Text of a Chinese page with the code of its English page. Code that is no longer there is left out. */
export function completeText(translation: Translation, english: string): string {
  const code = codeOf(english)
  const [title = '', ...rest] = translation.text.split('\n')
  return [title, ...(translation.isStale ? ['', warningOf(translation)] : []), ...rest]
    .join('\n')
    .replaceAll(CODE, (_, words: string) => code.find((block) => block.includes(words)) ?? '')
    .replace(KINDS, kindsTable)
}

const warningOf = ({ source, english }: Translation) => {
  const link = relative(resolve('/', source, '..'), resolve('/', english)).replaceAll('\\', '/')
  return `::: warning 英文页面较新\n翻译之后，英文页面有改动。内容不一致时，以[英文页面](${link})为准。\n:::`
}

/** Table of the kinds of an inventory with their Chinese names. */
function kindsTable(): string {
  const rows = Object.entries(INVENTORY)
    .filter(([code]) => code.startsWith('kind_'))
    .map(([code, name]) => `| \`${code.slice('kind_'.length)}\` | ${name} |`)
  return ['| 种类 | 含义 |', '|---|---|', ...rows].join('\n')
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '../..')
  const accepted = process.argv[2] === 'accept' ? process.argv.slice(3).map((file) => relative(root, resolve(file))) : []
  for (const { source, english, isStale } of translationsOf(root)) {
    if (!isStale) continue
    const isAccepted = accepted.includes(source)
    console.log(isAccepted ? `${source}: noted` : `${source}: the English page is newer`)
    if (!isAccepted) continue
    const hash = hashOf(readFileSync(join(root, english), 'utf8'))
    const text = readFileSync(join(root, source), 'utf8').replace(/^english: .*$/m, `english: ${hash}`)
    writeFileSync(join(root, source), text)
  }
}
