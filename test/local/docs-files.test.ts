/** Tests of the files of the documentation site as `npm start` serves them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Request } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { docsFiles } from '../../src/local/docs-files.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-docs-files-'))
  mkdirSync(join(root, 'public/docs'), { recursive: true })
  writeFileSync(join(root, 'public/docs/index.html'), '<h1>Docs</h1>')
  writeFileSync(join(root, 'secret.html'), 'a secret')
  writeFileSync(join(root, 'public/docs/key.pem'), 'a secret')
})
afterAll(() => rmSync(root, { recursive: true }))
const get = (path: string) => docsFiles(join(root, 'public'))(new Request(`http://docs${path}`))

it('serves a file with its type, also one that came after the start', async () => {
  const found = await get('/docs/index.html')
  expect([found.status, found.headers.get('Content-Type'), await found.text()]).toEqual([200, 'text/html; charset=utf-8', '<h1>Docs</h1>'])
  expect((await get('/docs/later.css')).status).toBe(404)
  writeFileSync(join(root, 'public/docs/later.css'), 'p{}')
  const later = await get('/docs/later.css')
  expect([later.headers.get('Content-Type'), await later.text()]).toEqual(['text/css; charset=utf-8', 'p{}'])
})

it.each([
  '/docs',
  '/docs/',
  '/docs/key.pem',
  '/docs/missing.html',
  '/%2e%2e%2fsecret.html',
  '/docs/..%2f..%2fsecret.html',
  '/docs/%00.html',
  '/%',
])('answers 404 for %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})

it('never leaves its folder', async () => {
  const part = fc.constantFrom('..', '%2e%2e', '.', 'docs', 'secret.html', '%2f', '/', '//', '\\', '%5c', '%00')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const answer = await get(`/${parts.join('/')}`)
      expect(await answer.text()).not.toContain('secret')
    }),
  )
})
