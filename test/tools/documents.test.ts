/** Links and word limits of all documents. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/**/*.md', 'wasm/*.md', 'wasm/*/*.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Anchors of a document's headings, as GitHub generates them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Words of a text, without the markup of tables and lists. */
const wordsIn = (text: string) => text.split(/[\s|]+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Relative links of a document, outside of code blocks. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^(https?:|mailto:|\/)/.test(target))
}

function isBroken(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(ROOT, file))) return true
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(textOf(file)).includes(anchor)
}

describe('documents', () => {
  it.each(DOCUMENTS)('%s has no broken link', (document) => {
    expect(linksOf(textOf(document)).filter((target) => isBroken(document, target))).toEqual([])
  })

  it('have at most 30,000 words in total', () => {
    // Lists of facts grow with the product: licences of packages, one line for each kind of an inventory, and tables that a command writes.
    const prose = (document: string) => {
      const text = document === 'docs/users/inventory.md' ? textOf(document).split('## Kinds')[0]! : textOf(document)
      return text.replaceAll(/<!-- npm run .*?<!-- end -->/gs, '')
    }
    const written = ['THIRD-PARTY.md', 'docs/contributors/measured.md']
    // The limit is of English words. Chinese pages follow the English ones.
    const isCounted = (document: string) => !written.includes(document) && !document.startsWith('docs/zh/')
    const words = DOCUMENTS.filter(isCounted).map((document) => wordsIn(prose(document)))
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(30_000)
  })

  it.each(DOCUMENTS.filter((document) => document.startsWith('docs/decisions/')))('%s has at most 400 words', (document) => {
    expect(wordsIn(textOf(document))).toBeLessThanOrEqual(400)
  })
})
