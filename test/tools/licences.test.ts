/**
 * GPL code and fonts are only in `whittle-media`, as THIRD-PARTY.md states, and `/licences` has a notice for everything that is
 * deployed.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ARTEFACTS, inputsOf, type Notice, notices, noticesText, thirdParty } from '../../tools/release/notices.ts'

const ROOT = resolve(import.meta.dirname, '../..')

describe('files served by the edge', () => {
  const PUBLIC = join(ROOT, 'console/public')
  let files: string[]
  beforeAll(() => {
    // Files of an earlier build are removed first.
    mkdirSync(join(PUBLIC, 'console/pdf'), { recursive: true })
    writeFileSync(join(PUBLIC, 'console/pdf/LiberationSans-Regular.ttf'), 'old')
    execFileSync(process.execPath, ['console/build.ts'], { cwd: ROOT })
    files = globSync('**/*.*', { cwd: PUBLIC })
  }, 60_000)

  it('have no Liberation font 1.x and, except for the notices, no GPL text', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => /liberation/i.test(file))).toEqual([])
    const withGpl = globSync('**', { cwd: PUBLIC, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'licences.html')
      .filter((entry) =>
        /gnu\s+(lesser\s+)?general\s+public\s+licen[cs]e/i.test(readFileSync(join(entry.parentPath, entry.name), 'latin1')),
      )
    expect(withGpl.map((entry) => entry.name)).toEqual([])
  })

  it('include the fonts that browsers lack, with their licences', () => {
    const names = globSync('console/pdf/{*.pfb,*.ttf,LICENSE*}', { cwd: PUBLIC }).map((file) => basename(file))
    expect(names.sort()).toEqual(['FoxitDingbats.pfb', 'FoxitSymbol.pfb', 'LICENSE', 'LICENSE_CMAPS', 'LICENSE_FOXIT'])
    expect(readFileSync(join(PUBLIC, 'console/pdf/LICENSE'), 'utf8')).toContain('Apache License')
    expect(readFileSync(join(PUBLIC, 'console/pdf/LICENSE_CMAPS'), 'utf8')).toContain('Adobe')
  })
})

describe('bundles', () => {
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

  /** Folders of GPL and LGPL engines, according to their origin.json. */
  const engines = globSync('wasm/*/origin.json', { cwd: ROOT })
    .filter((path) => /"[AL]?GPL-/.test(readFileSync(join(ROOT, path), 'utf8')))
    .map((path) => `${dirname(path)}/`)

  it('whittle-media includes FFmpeg, x264, the HEVC decoder and LAME', async () => {
    expect(engines.sort()).toEqual(['wasm/ffmpeg/', 'wasm/hevc/', 'wasm/lame/'])
    const modules = engines.map((engine) => `${engine}${basename(engine)}.wasm`)
    expect(await inputsOf('src/service/media.ts')).toEqual(expect.arrayContaining(modules))
  })

  it.each([
    'src/index.ts',
    'src/service/press.ts',
    'console/src/main.tsx',
    'site/src/main.tsx',
    'packages/cli/src/main.ts',
  ] as const)('into %s: nothing of the GPL or LGPL', async (entry) => {
    const inputs = await inputsOf(entry)
    expect(inputs).toContain(entry)
    // An engine's origin.json is data of this project.
    expect(inputs.filter((input) => !input.endsWith('/origin.json') && engines.some((engine) => input.startsWith(engine)))).toEqual([])
    const licences = licencesOf(inputs)
    expect(licences.size).toBeGreaterThan(0)
    expect([...licences].filter(([, licence]) => /GPL|undefined/.test(licence))).toEqual([])
  })
})

describe('the notices', () => {
  let all: Notice[]
  beforeAll(async () => {
    all = await notices()
  }, 60_000)
  const named = (name: string) => all.find((notice) => notice.name === name)

  it('have the full licence text of each package, also of those bundled inside others', () => {
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter(({ texts }) => texts.join('').length < 500).map(({ name }) => name)).toEqual([])
    expect(all.filter(({ licence }) => /undefined|unknown/i.test(licence))).toEqual([])
    for (const name of [
      'asn1js',
      'css-tree',
      'standardwebhooks',
      'preact',
      'pdfjs-dist',
      'vitepress',
      '@scalar/api-reference',
      'wasm/openjpeg/',
    ]) {
      expect(named(name)?.texts.length, name).toBeGreaterThan(0)
    }
    const used = new Set(all.flatMap(({ usedIn }) => usedIn))
    expect([...used].sort()).toEqual(['/docs', ...Object.values(ARTEFACTS).filter((name) => name !== 'command line')].sort())
  })

  it('include the licence of the JSON Schema validator bundled in the MCP package', async () => {
    const own = await notices(['packages/cli/src/main.ts'])
    const texts = own.find(({ name }) => name === '@modelcontextprotocol/server')?.texts.join('')
    for (const name of ['ajv', 'fast-uri', 'json-schema-traverse']) expect(texts).toContain(`== ${name} ==`)
  })

  it('list the packages bundled in svgo: its dependencies without those of its CLI', () => {
    const found = new Set<string>()
    const follow = (name: string) => {
      if (found.has(name) || ['commander', 'picocolors'].includes(name)) return
      found.add(name)
      const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
        dependencies?: Record<string, string>
      }
      for (const dependency of Object.keys(dependencies)) follow(dependency)
    }
    follow('svgo')
    for (const name of found) expect(named(name)?.usedIn, name).toEqual(['whittle-press'])
  })

  it('have a licence for every engine, and GPL-3.0 with the location of the source for FFmpeg', () => {
    const folders = globSync('wasm/*/*.wasm', { cwd: ROOT }).map((path) => dirname(path))
    expect(folders.length).toBeGreaterThan(17)
    for (const folder of folders) expect(globSync('LICENSE*', { cwd: join(ROOT, folder) }).length, folder).toBeGreaterThan(0)
    const text = named('wasm/ffmpeg/')!.texts.join('\n')
    expect(text).toMatch(/GNU GENERAL PUBLIC LICENSE\s+Version 3/)
    expect(text).toContain('npm run sources')
  })

  it('list every crate compiled into resvg', () => {
    const lock = readFileSync(join(ROOT, 'wasm/resvg/binding/Cargo.lock'), 'utf8')
    const locked = [...lock.matchAll(/name = "(.+)"\nversion = "(.+)"\nsource/g)].map(([, name, version]) => `${name} ${version}`)
    // resvg's command line and an alternative of miniz_oxide are not compiled. The licence of usvg and resvg is in a file of its own.
    const crates = locked.filter((crate) => !/^(?:pico-args|zlib-rs|resvg|usvg.*|tiny-skia.*) /.test(crate))
    expect(crates.length).toBeGreaterThan(30)
    const listed = readFileSync(join(ROOT, 'wasm/resvg/LICENSE.crates'), 'utf8')
    expect(crates.filter((crate) => !listed.includes(crate))).toEqual([])
    for (const name of ['tiny-skia', 'tiny-skia-path']) expect(listed).toContain(`${name} 0.10.0`)
  })

  it('match the list in THIRD-PARTY.md (`npm run licences`)', async () => {
    expect(await thirdParty()).toBe(readFileSync(join(ROOT, 'THIRD-PARTY.md'), 'utf8'))
  })

  it('of one bundle have the licences of its packages and engines', () => {
    const text = noticesText(['node_modules/commander/lib/command.js', 'wasm/jpeg/jpeg.wasm', 'src/core/index.ts'])
    expect(text).toMatch(/^wasm\/jpeg\/ [\s\S]*\ncommander 15[\s\S]*Permission is hereby granted[\s\S]*\nwasi-libc and musl/)
  })
})

it('is part of every published package', () => {
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8')
  const packages = globSync(['packages/clients/*/', 'packages/integrations/*/package.json'], { cwd: ROOT }).map((path) =>
    path.replace(/\/?(package\.json)?$/, ''),
  )
  expect(packages).toHaveLength(5)
  for (const folder of packages) expect(readFileSync(join(ROOT, folder, 'LICENSE'), 'utf8'), folder).toBe(own)
})
