/** GPL code and fonts stay in `whittle-media`, as THIRD-PARTY.md says. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

describe('what the edge serves', () => {
  const PUBLIC = join(ROOT, 'console/public')
  let files: string[]
  beforeAll(() => {
    // Of a build before this one.
    mkdirSync(join(PUBLIC, 'console/pdf'), { recursive: true })
    writeFileSync(join(PUBLIC, 'console/pdf/LiberationSans-Regular.ttf'), 'old')
    execFileSync(process.execPath, ['scripts/build-console.ts'], { cwd: ROOT })
    files = globSync('**/*.*', { cwd: PUBLIC })
  })

  it('has no Liberation font 1.x and no text of the GPL', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => /liberation/i.test(file))).toEqual([])
    const withGpl = globSync('**', { cwd: PUBLIC, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) =>
        /gnu\s+(lesser\s+)?general\s+public\s+licen[cs]e/i.test(readFileSync(join(entry.parentPath, entry.name), 'latin1')),
      )
    expect(withGpl.map((entry) => entry.name)).toEqual([])
  })

  it('has the fonts that browsers lack, and the licence of each part', () => {
    const names = globSync('console/pdf/{*.pfb,*.ttf,LICENSE*}', { cwd: PUBLIC }).map((file) => basename(file))
    expect(names.sort()).toEqual(['FoxitDingbats.pfb', 'FoxitSymbol.pfb', 'LICENSE', 'LICENSE_CMAPS', 'LICENSE_FOXIT'])
    expect(readFileSync(join(PUBLIC, 'console/pdf/LICENSE'), 'utf8')).toContain('Apache License')
    expect(readFileSync(join(PUBLIC, 'console/pdf/LICENSE_CMAPS'), 'utf8')).toContain('Adobe')
  })
})

describe('what is bundled', () => {
  /** Every file that a Worker is made of, as the bundler finds them. */
  async function inputsOf(entry: string): Promise<string[]> {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: [entry],
      bundle: true,
      write: false,
      outdir: 'unused',
      metafile: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
      platform: 'neutral',
      mainFields: ['browser', 'module', 'main'],
      external: ['cloudflare:*', 'node:*'],
      loader: { '.wasm': 'empty' },
      logLevel: 'error',
    })
    return Object.keys(metafile.inputs)
  }

  /** Licences by package name. */
  function licencesOf(inputs: readonly string[]): Map<string, string> {
    const names = inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? [])
    return new Map(
      [...new Set(names)].map((name) => {
        const { license } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as { license?: unknown }
        return [name, String(license)]
      }),
    )
  }

  /** Folders of engines under the GPL or the LGPL, by what they say of themselves. */
  const engines = globSync('wasm/*/origin.json', { cwd: ROOT })
    .filter((path) => /"[AL]?GPL-/.test(readFileSync(join(ROOT, path), 'utf8')))
    .map((path) => `${dirname(path)}/`)

  it('into whittle-media: FFmpeg, x264 and LAME', async () => {
    expect(engines.sort()).toEqual(['wasm/ffmpeg/', 'wasm/lame/'])
    const modules = engines.map((engine) => `${engine}${basename(engine)}.wasm`)
    expect(await inputsOf('src/media.ts')).toEqual(expect.arrayContaining(modules))
  })

  it.each(['src/index.ts', 'src/press.ts'])('into %s: nothing of the GPL or LGPL', async (entry) => {
    const inputs = await inputsOf(entry)
    expect(inputs).toContain(entry)
    // What an engine's origin.json says of it is data of ours.
    expect(inputs.filter((input) => !input.endsWith('/origin.json') && engines.some((engine) => input.startsWith(engine)))).toEqual([])
    const licences = licencesOf(inputs)
    expect(licences.size).toBeGreaterThan(0)
    expect([...licences].filter(([, licence]) => /GPL|undefined/.test(licence))).toEqual([])
  })
})
