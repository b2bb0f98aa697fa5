/** Tests of the Markdown of the documentation site. `test/conformance/e2e/docs-site.test.ts` builds it and opens it in a browser. */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, resolveLink, rewriteMarkdown } from '../../pages/docs/markdown.ts'
import { htmlForIndex, withPairs } from '../../pages/docs/search.ts'
import { DECISIONS } from '../../pages/docs/site-map.ts'
import { allGroups, collectSources, repositoryOf, SERVICE, translatedPages } from '../../pages/docs/sources.ts'
import { codeMarks, completeText } from '../../pages/docs/translations.ts'
import { ERROR_MEANINGS } from '../../src/service/http/error-texts.ts'

const ROOT = resolve(import.meta.dirname, '../..')

describe('the Markdown of a page', () => {
  const same = (target: string) => target

  it('gets tabs where titled code blocks stand side by side', () => {
    const blocks = ['```sh [curl]\ncurl a\n```', '```python [Python]\na()\n```'].join('\n\n')
    expect(rewriteMarkdown(`Before\n\n${blocks}\n\nAfter`, same)).toBe(
      'Before\n\n::: code-group\n```sh [curl]\ncurl a\n```\n```python [Python]\na()\n```\n:::\n\nAfter',
    )
  })

  it('keeps tabs inside of a list item', () => {
    const item = '1. Do\n\n   ```sh [curl]\n   a\n   ```\n\n   ```go [Go]\n   b\n   ```\n'
    expect(rewriteMarkdown(item, same)).toContain('   ::: code-group\n   ```sh [curl]\n   a\n   ```\n   ```go [Go]\n   b\n   ```\n   :::')
  })

  it('leaves other code blocks and their contents alone', () => {
    const text = '```sh\n[a](b.md)\n```\n\n```json [One]\n1\n```\n\ntext `[a](b.md)`'
    const rewritten = rewriteMarkdown(text, () => 'changed')
    expect(rewritten).toContain('```sh\n[a](b.md)\n```')
    expect(rewritten).toContain('text `[a](b.md)`')
  })

  it('gets its links replaced, also of pictures', () => {
    expect(rewriteMarkdown('[a](b.md#c) and ![d](e.png)', (target) => `<${target}>`)).toBe('[a](<b.md#c>) and ![d](<e.png>)')
    expect(resolveLink('../decisions/png.md#why', 'docs/users/kept.md')).toEqual({ path: 'docs/decisions/png.md', fragment: '#why' })
    for (const outside of ['https://tus.io', '#here', '/openapi.json', 'mailto:a@b.c']) expect(resolveLink(outside, 'a.md')).toBeUndefined()
  })
})

describe('the sources of the site', () => {
  let out: string
  const translated = translatedPages(ROOT)
  const pages = [...allGroups(ROOT).flatMap((group) => group.pages), ...translated.map(({ chinese }) => chinese)]
  beforeAll(() => {
    out = mkdtempSync(join(tmpdir(), 'whittle-docs-'))
    collectSources(ROOT, out)
  })
  afterAll(() => rmSync(out, { recursive: true }))
  const read = (slug: string) => readFileSync(join(out, `${slug.replace(/^$|(?<=\/)$/, 'index')}.md`), 'utf8')

  it('have every page of docs/, each once', () => {
    const sources = pages.map(({ source }) => source)
    const missing = globSync('docs/**/*.md', { cwd: ROOT }).filter((file) => !sources.includes(file))
    expect(missing).toEqual([])
    expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length)
    expect(pages.filter(({ source }) => source.startsWith(DECISIONS.folder)).length).toBeGreaterThan(20)
  })

  it('have the addresses of earlier versions', () => {
    const earlier = ['quick-start', 'formats', 'quality', 'kept', 'inventory', 'receipts', 'uploads', 'callbacks', 'limits', 'typescript']
    for (const name of [...earlier, 'python', 'go', 'php', 'integrations', 'versioning', 'security', 'self-hosting'])
      expect(existsSync(join(out, `${name}.md`)), name).toBe(true)
  })

  it('link to pages of the site, to pages of the service, or to files of the repository', () => {
    const slugs = new Set(pages.map(({ slug }) => `/${slug}`))
    const outside = new RegExp(`^(https?://|#|${SERVICE}/docs/api$|/media/)`)
    for (const { slug } of pages) {
      const targets = [
        ...read(slug)
          .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
          .matchAll(/\]\(([^()\s]+)\)/g),
      ].map(([, target = '']) => target)
      for (const target of targets) expect(outside.test(target) || slugs.has(target.replace(/#.*/, '')), `${slug}: ${target}`).toBe(true)
      for (const [media] of read(slug).matchAll(/\/media\/[^)\s]+/g)) expect(existsSync(join(out, media)), media).toBe(true)
    }
    expect(read('integrations')).toContain('](/n8n)')
    expect(read('versioning')).toContain(`${repositoryOf(ROOT)}/blob/main/CHANGELOG.md`)
  })

  it('name each Chinese page on its English one, and the other way round', () => {
    expect(translated.length).toBeGreaterThanOrEqual(14)
    for (const { english, chinese } of translated) {
      expect(read(english.slug)).toContain(`other: "/${chinese.slug}"`)
      expect(read(chinese.slug)).toContain(`other: "/${english.slug}"`)
    }
  })

  it('show the code of the English page on the Chinese one, each once and in its order', () => {
    for (const { english, chinese, translation } of translated.filter(({ translation: { isStale } }) => !isStale)) {
      const text = readFileSync(join(ROOT, english.source), 'utf8')
      const places = codeMarks(translation).map((words) => codeOf(text).findIndex((code) => code.includes(words)))
      expect(places, chinese.source).toEqual(codeOf(text).map((_, i) => i))
      expect(codeOf(translation.text), chinese.source).toEqual([])
      expect(codeOf(read(chinese.slug)).map((code) => code.replaceAll(/\s/g, ''))).toEqual(
        codeOf(read(english.slug)).map((code) => code.replaceAll(/\s/g, '')),
      )
    }
  })

  it('have a heading for every error type', () => {
    for (const type of Object.keys(ERROR_MEANINGS)) expect(read('errors')).toContain(`### \`${type}\` {#${type}}`)
  })

  it('use only languages that stay installed without packages for development', () => {
    const [, kept = ''] =
      /langs\\\/dist\\\/\(\?!\(([\w|-]+)\)/.exec(readFileSync(join(ROOT, 'tools/release/trim-packages.mjs'), 'utf8')) ?? []
    const used = pages.flatMap(({ slug }) => [...read(slug).matchAll(/^\s*```([\w-]+)/gm)].map(([, language = '']) => language))
    expect(used.length).toBeGreaterThan(50)
    expect(used.filter((language) => !kept.split('|').includes(language))).toEqual([])
  })

  it('show the first request in six languages', () => {
    const labels = [...read('quick-start').matchAll(/```\w+ \[([^\]]+)\]/g)].map(([, label]) => label)
    expect(new Set(labels)).toEqual(new Set(['curl', 'TypeScript', 'Python', 'Go', 'PHP', 'CLI']))
  })
})

describe('a Chinese page', () => {
  const page = {
    source: 'docs/zh/users/a.md',
    english: 'docs/users/a.md',
    text: '# 标题\n\n<!-- code: run -->\n\n<!-- code: gone -->\n\n完',
  }
  const english = '# Title\n\n```sh [curl]\nfirst\n```\n\n```py [Python]\nrun()\n```\n\ntext\n\n```\nother\n```\n'
  const code = '```sh [curl]\nfirst\n```\n\n```py [Python]\nrun()\n```'

  it('gets the code of its English page, and nothing where that is gone', () => {
    expect(completeText({ ...page, isStale: false }, english)).toBe(`# 标题\n\n${code}\n\n\n\n完`)
  })

  it('says so if its English page is newer', () => {
    const text = completeText({ ...page, isStale: true }, english)
    expect(text).toMatch(/^# 标题\n\n::: warning 英文页面较新\n.*\[英文页面\]\(\.\.\/\.\.\/users\/a\.md\)/)
    expect(text).toContain(code)
  })
})

describe('the search in Chinese', () => {
  it('takes each pair of characters as a word', () => {
    expect(withPairs('断点续传 of PDF文件')).toBe(' 断点 点续 续传  of PDF 文件 ')
    expect(withPairs('图')).toBe(' 图 ')
    expect(withPairs('plain text')).toBe('plain text')
  })

  it('indexes pairs of the text and of headings, and keeps headings as results show them', () => {
    const heading = '<h2 id="a">断点续传 <a class="header-anchor" href="#a">#</a></h2>'
    expect(htmlForIndex(`${heading}<p class="例子">分块大小</p>`).replaceAll(/ +/g, ' ')).toBe(
      `${heading}<p> 断点 点续 续传 </p><p class="例子"> 分块 块大 大小 </p>`,
    )
  })
})
