/** The software bill of materials lists everything that is deployed, and no development tools. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
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
  }
  const sources = bom.components
    .find(({ name }) => name === 'wasm/hdf5')
    ?.components?.map(({ name }) => name)
    .join()
  expect(sources).toMatch(/HDF5.*zlib.*libdeflate/)
  const references = bom.components.map((component) => component['bom-ref'])
  expect(new Set(references).size).toBe(references.length)
})

describe('the sources of an engine', () => {
  const sources = billOfMaterials().components.flatMap(({ name, components = [] }) => components.map((source) => [name, source] as const))

  it.each(sources)('%s: have a package URL, an SPDX licence and, where there is one, a CPE of the same version', (_, source) => {
    const { purl = '', cpe, version = '', licenses = [] } = source
    const [, type, name, encoded = ''] = /^pkg:(deb\/debian|npm|pypi|cargo|github|generic)\/([^@]+)@([^?]+)(\?.*)?$/.exec(purl) ?? []
    expect(name, purl).toBeTruthy()
    expect(version.startsWith(decodeURIComponent(encoded).replace(/^v(?=\d)/, '')), `${purl} is ${version}`).toBe(true)
    expect(/\?arch=source&distro=debian-1[23]$/.test(purl)).toBe(type === 'deb/debian')
    const [license] = licenses
    const expression = license && ('expression' in license ? license.expression : license.license.id)
    for (const id of expression?.split(' AND ') ?? ['']) expect(SPDX_IDS).toContain(id)
    if (cpe !== undefined) expect(cpe).toMatch(/^cpe:2\.3:a:[a-z0-9_.-]+:[a-z0-9_]+:\d+(\.\d+)+(:\*){7}$/)
    const [, cpeVersion = ''] = /^cpe:2\.3:a:[\w.-]+:\w+:([\d.]+):/.exec(cpe ?? '') ?? []
    expect(`${source.name} ${version}`).toContain(cpeVersion)
  })

  it('include one with a CPE for each library that reads untrusted bytes and is listed', () => {
    const products = sources.flatMap(([, { cpe = '' }]) => /^cpe:2\.3:a:[\w.-]+:(\w+)/.exec(cpe)?.[1] ?? [])
    const listed = 'brotli dav1d ffmpeg flac hdf5 lame libaom libjxl libvorbis libwebp mozjpeg openjpeg opus x264 zlib zstandard'.split(' ')
    expect([...new Set(products)].toSorted()).toEqual(listed)
  })
})

/** Licences of sources, as the SPDX list names them. */
const SPDX_IDS = [
  ...['Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'GPL-2.0-or-later', 'IJG', 'LGPL-2.0-or-later', 'LGPL-2.1-or-later', 'MIT'],
  ...['MPL-2.0', 'Zlib'],
]

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
