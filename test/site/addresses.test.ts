/** What stays outside of the pages' bundles. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { servedAddresses } from '../../site/addresses.ts'

const folder = mkdtempSync(join(tmpdir(), 'whittle-addresses-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('bundles the files of a checkout whose folder has the name of a served path (image-checkout-at-app)', async () => {
  writeFileSync(join(folder, 'main.ts'), `import './page.css'\nexport const reader = () => import('${folder}/reader.mjs')\n`)
  writeFileSync(join(folder, 'page.css'), `a { background: url(${folder}/back.png) }`)
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['main.ts'],
    bundle: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    plugins: [servedAddresses([`${folder}/`])],
  })
  const [script, style] = ['.js', '.css'].map((extension) => outputFiles.find(({ path }) => path.endsWith(extension))?.text)
  expect(script).toContain(`import("${folder}/reader.mjs")`)
  expect(style).toContain(`url(${folder}/back.png)`)
})
