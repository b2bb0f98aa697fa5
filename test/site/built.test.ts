/** The front page as it is built: its size, its Content Security Policy, its languages, and what it says about itself. */
import './with-facts.ts'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../site/build.ts'
import { siteFacts } from '../../site/facts.ts'
import { CHINESE } from '../../site/src/chinese.ts'
import { PAGE_POLICY, SITE_POLICY } from '../../src/service/http/page-policies.ts'

const ROOT = join(import.meta.dirname, '../..')
const PUBLIC = join(ROOT, 'console/public')

/** Most bytes of everything that the browser loads before the page is ready, compressed as it is sent. */
const FIRST_LOAD_BYTES = 150_000

const textOf = (path: string) => readFileSync(join(PUBLIC, path), 'utf8')
/** Fonts and pictures are compressed already. */
const sentBytes = (path: string) => {
  const bytes = readFileSync(join(PUBLIC, path))
  return /\.(woff2|jpg|png)$/.test(path) ? bytes.length : gzipSync(bytes).length
}
/** Files that a script imports before it runs, with itself. */
function closureOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const [, name] of textOf(path).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) closureOf(`/app/${name}`, found)
  return found
}

beforeAll(() => buildSite(), 60_000)

describe('the first load', () => {
  it('has at most 150 kB, compressed, with font and picture', () => {
    const page = textOf('/index.html')
    const linked = [...page.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path]) => path!).filter((path) => !/icon/.test(path))
    const files = new Set([
      '/index.html',
      '/manifest.webmanifest',
      ...linked.flatMap((path) => (path.endsWith('.js') ? [...closureOf(path)] : [path])),
    ])
    expect([...files].map((path) => basename(path)).join(' ')).toMatch(/main-\w+\.js.*geist\.woff2|geist\.woff2.*main-\w+\.js/)
    expect([...files].reduce((sum, path) => sum + sentBytes(path), 0)).toBeLessThan(FIRST_LOAD_BYTES)
  })

  it('has no engine and no codec', () => {
    const script = /src="(\/app\/main[^"]+)"/.exec(textOf('/index.html'))![1]!
    const text = [...closureOf(script)].map((path) => textOf(path)).join('\n')
    expect(text).not.toMatch(/\.wasm"/)
  })
})

describe('the Content Security Policy', () => {
  const directives = (policy: string) =>
    Object.fromEntries(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1).join(' ')]))

  it('allows WebAssembly on the front page and nothing else that is unsafe', () => {
    expect(SITE_POLICY.match(/unsafe-[\w-]+|wasm-unsafe-eval/g)).toEqual(['wasm-unsafe-eval'])
    expect(PAGE_POLICY).not.toContain('unsafe')
    const { 'default-src': rest, 'script-src': scripts, 'connect-src': connections, 'worker-src': workers } = directives(SITE_POLICY)
    expect([rest, scripts, connections, workers]).toEqual(["'none'", "'self' 'wasm-unsafe-eval'", "'self'", "'self'"])
    expect(SITE_POLICY).not.toMatch(/https?:|\*/)
  })

  it.each(['/index.html', '/index.zh.html'])('holds for %s: no inline script, style or handler, and no other origin', (path) => {
    const page = textOf(path)
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle="|\son\w+="/)
    expect(page.replaceAll('https://whittle.example.com', '')).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })
})

describe('what the page carries', () => {
  it('has no engine under the GPL or LGPL', () => {
    const engines = globSync('app/*.wasm', { cwd: PUBLIC }).map((path) => basename(path).replace(/-\w{8}\.wasm$/, ''))
    expect(engines).toContain('jpeg')
    for (const engine of engines) {
      const licences = readFileSync(
        globSync(`wasm/*/origin.json`, { cwd: ROOT })
          .map((path) => join(ROOT, path))
          .find((path) => path.includes(`/${engine}/`))!,
        'utf8',
      )
      expect(licences, engine).not.toMatch(/"[AL]?GPL-/)
    }
  })

  it('is known to the service worker as a whole, so that it works offline', () => {
    const worker = textOf('/sw.js')
    for (const path of globSync('app/*', { cwd: PUBLIC }).filter((one) => !/\.LEGAL\.txt$/.test(one)))
      expect(worker, path).toContain(`"/${path}"`)
    expect(worker).toContain('"/"')
  })
})

describe('languages', () => {
  it('translates every text of the page', () => {
    const missing = globSync('site/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8')
      const single = [...source.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => text!)
      const counted = [...source.matchAll(/\bplural\([^,]+,\s*'((?:[^'\\]|\\.)*)',\s*'((?:[^'\\]|\\.)*)'/g)].flatMap(([, one, many]) => [
        one!,
        many!,
      ])
      const tables = [...source.matchAll(/\b(?:title|small|promise): '([A-Z][^']*)'/g)].map(([, text]) => text!)
      return [...single, ...counted, ...tables]
        .map((text) => text.replaceAll("\\'", "'"))
        .filter((text) => !Object.hasOwn(CHINESE, text) && !/^(CLI|TypeScript|Python|Go|PHP|Library|\.)$/.test(text))
        .map((text) => `${file}: ${text}`)
    })
    expect(missing).toEqual([])
  })

  it('is drawn in both languages', () => {
    expect(textOf('/index.html')).toContain('<html lang="en">')
    expect(textOf('/index.html')).toContain('Drop files here')
    expect(textOf('/index.zh.html')).toContain('<html lang="zh-Hans">')
    expect(textOf('/index.zh.html')).toContain('将文件拖到此处')
  })
})

it('lists the formats that it can compress, and films and sound only with the service', () => {
  const page = textOf('/index.html')
  const families = page.split('class="family"').slice(1)
  const chips = (family: string) => [...family.matchAll(/class="chip">([^<]+)</g)].map(([, name]) => name)
  expect(chips(families[0]!)).toContain('JPG')
  const here = Object.values(siteFacts().formats).filter(({ isHere, title }) => isHere && title !== 'Other data')
  expect(families.slice(0, -1).flatMap(chips).length, 'names of all formats').toBeGreaterThanOrEqual(here.length - 1)
  expect(chips(families.at(-1)!)).toEqual(expect.arrayContaining(['MP4', 'MOV', 'AVI']))
  expect(families.slice(0, -1).flatMap(chips)).not.toContain('MP4')
})
