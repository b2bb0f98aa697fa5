/**
 * Tests the n8n node with n8n's own package: `npm run conformance -- n8n`. Checks its types, then loads the packed node and compresses a
 * photo through a running service. n8n itself (2 GB) is not started.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startService } from '../../../test/e2e/running.ts'
import { execute, installNode, PACKAGE, sha256 } from '../../../test/support/n8n.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'whittle-n8n-'))
const run = (command: string, args: readonly string[]) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' })
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', 'n8n-workflow@2.41.0'])
  const types = { 'n8n-workflow': [join(folder, 'node_modules/n8n-workflow/dist/cjs/index.d.ts')] }
  const compilerOptions = {
    lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: types,
  }
  const tsconfig = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: ['nodes', 'credentials'].map((part) => join(PACKAGE, part)),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'])
  await compress()
  console.log('n8n: the types are valid, and the packed node compresses')
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function compress(): Promise<void> {
  const { node } = installNode(folder)
  const service = await startService()
  try {
    const photo = readFileSync(join(root, 'docs/photo.jpg'))
    const items = [{ json: {}, binary: { data: { data: photo, fileName: 'photo.jpg' } } }, { json: {} }]
    const credentials = { server: service.baseUrl, key: service.keys.enterprise }
    const [results = []] = await execute(node, items, credentials, { quality: 'low' }, true)
    const bytes = results[0]?.binary?.['data']?.data ?? Buffer.alloc(0)
    const receipt = results[0]?.json['receipt'] as { sha256?: string } | undefined
    if (bytes.length === 0 || bytes.length > photo.length / 2 || receipt?.sha256 !== sha256(bytes))
      throw new Error('the n8n node returned no smaller photo with a matching receipt')
    const failed = await execute(node, items, credentials, {}).then(
      () => undefined,
      (error: Error) => error,
    )
    // The error class must be that of n8n's own package.
    if (failed?.constructor.name !== 'NodeOperationError') throw new Error(`an item without a file ended with ${failed?.constructor.name}`)
  } finally {
    await service.stop()
  }
}
