/** Tests of the Markdown of the documentation site. `test/conformance/e2e/docs-site.test.ts` builds it and opens it in a browser. */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveLink, rewriteMarkdown } from '../../pages/docs/markdown.ts'
import { DECISIONS } from '../../pages/docs/site-map.ts'
import { allGroups, collectSources, repositoryOf, SERVICE } from '../../pages/docs/sources.ts'
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
  const pages = allGroups(ROOT).flatMap((group) => group.pages)
  beforeAll(() => {
    out = mkdtempSync(join(tmpdir(), 'whittle-docs-'))
    collectSources(ROOT, out)
  })
  afterAll(() => rmSync(out, { recursive: true }))
  const read = (slug: string) => readFileSync(join(out, `${slug === '' ? 'index' : slug}.md`), 'utf8')

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
