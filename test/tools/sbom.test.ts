/** The software bill of materials lists everything that is deployed, and no development tools. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { billOfMaterials } from '../../tools/release/sbom.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('lists every runtime package, and every engine with its sources', () => {
  const bom = billOfMaterials()
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'whittle'])
  const names = bom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>
  for (const name of Object.keys(dependencies!)) expect(names).toContain(name)
  for (const name of ['vitest', 'playwright-core']) {
    expect(Object.keys(devDependencies!)).toContain(name)
    expect(names).not.toContain(name)
  }
  const folders = readdirSync(join(ROOT, 'wasm'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) {
    if (!readdirSync(join(ROOT, 'wasm', name)).some((file) => file.endsWith('.wasm'))) continue
    const engine = bom.components.find((component) => component.name === `wasm/${name}`)
    expect(engine?.hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{64}$/)
    for (const source of engine?.components ?? []) expect(source.licenses?.[0]?.license.name, name).toBeTruthy()
  }
  const sources = bom.components
    .find(({ name }) => name === 'wasm/hdf5')
    ?.components?.map(({ name }) => name)
    .join()
  expect(sources).toMatch(/HDF5.*zlib.*libdeflate/)
  const references = bom.components.map((component) => component['bom-ref'])
  expect(new Set(references).size).toBe(references.length)
})

it('refuses an option instead of using it as a file name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-sbom-'))
  try {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools/release/sbom.ts'), '--help'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain("Unknown option '--help'")
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
