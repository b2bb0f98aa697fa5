/** One version number for the service, its packages and its documents. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { version } = JSON.parse(textOf('package.json')) as { version: string }

it.each([
  'packages/core/package.json',
  'packages/film/package.json',
  'packages/vite/package.json',
  'packages/cli/package.json',
  'packages/server/package.json',
  'packages/clients/typescript/package.json',
  'packages/integrations/n8n/package.json',
])('%s has the version of the service', (path) => {
  expect(JSON.parse(textOf(path))).toMatchObject({ version })
})

it('the Python client has the version of the service', () => {
  expect(textOf('packages/clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`)
})

it('the changelog has an entry for the version', () => {
  expect(textOf('CHANGELOG.md')).toContain(`\n## [${version}]`)
})

it('the table of versions has a row for the version', () => {
  expect(textOf('docs/users/versioning.md')).toContain(`\n| v${version} |`)
})
