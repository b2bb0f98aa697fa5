/** Options of the front page: what fits the files, sizes that people write, names of results, and code with the chosen options. */
import './with-facts.ts'
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeSamples } from '../../site/src/model/code-samples.ts'
import type { FormatId, Settings } from '../../site/src/model/protocol.ts'
import { commonOutputs, parseTarget, settingsFor, settingsKey } from '../../site/src/model/settings.ts'
import { distinctNames } from '../../site/src/save.ts'
import { FORMATS } from '../../src/core/catalog/index.ts'

const formats = Object.keys(FORMATS) as FormatId[]

it('offers only outputs that every file can become', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...formats), { minLength: 1, maxLength: 8 }), (ids) => {
      for (const output of commonOutputs(ids)) for (const id of ids) expect(FORMATS[id].outputs as readonly string[]).toContain(output)
    }),
  )
  expect(commonOutputs(['jpg', 'png', 'gif'])).toEqual(['jpg', 'png', 'webp', 'avif', 'jxl'])
  expect(commonOutputs(['jpg', 'pdf'])).toEqual([])
  expect(commonOutputs(['jpg'])).toEqual(['png', 'webp', 'avif', 'jxl'])
})

it('never asks the library for what a format does not have', () => {
  const settings = fc.record({
    quality: fc.constantFrom('low', 'medium', 'high', 'ultra'),
    output: fc.option(fc.constantFrom('jpg', 'webp', 'zst', 'laz', 'exe'), { nil: undefined }),
    targetSize: fc.option(fc.nat(), { nil: undefined }),
    metadata: fc.constantFrom('keep', 'safe', 'strip'),
  })
  fc.assert(
    fc.property(fc.constantFrom(...formats), settings, (id, common) => {
      const format = FORMATS[id] as { outputs: readonly string[]; ultra?: true; metadata?: true }
      const found = settingsFor(id, common as Settings, {})
      if (found.output !== undefined) expect(format.outputs).toContain(found.output)
      if (!format.ultra) expect(found.quality).not.toBe('ultra')
      if (!format.metadata) expect(found.metadata).toBe('keep')
    }),
  )
})

it('has one key for equal options', () => {
  const plain = settingsFor('jpg', { quality: 'low', metadata: 'keep' }, {})
  expect(settingsKey(settingsFor('jpg', { quality: 'low', metadata: 'keep' }, { output: 'jpg', targetSize: undefined }))).toBe(
    settingsKey(plain),
  )
})

it('reads sizes as people write them', () => {
  expect([parseTarget('500', 'kB'), parseTarget(' 1,5 ', 'MB'), parseTarget('', 'kB')]).toEqual([500_000, 1_500_000, undefined])
  for (const wrong of ['0', '-1', '1e9', 'many', '1.2.3']) expect(parseTarget(wrong, 'kB'), wrong).toBeNaN()
})

it('gives the files of a ZIP names that differ on every file system', () => {
  expect(distinctNames(['a.jpg', 'A.JPG', 'a.jpg', 'b', 'b', 'a-2.jpg'])).toEqual(['a.jpg', 'A-2.JPG', 'a-3.jpg', 'b', 'b-2', 'a-2-2.jpg'])
})

describe('code for the same result', () => {
  const job = (name: string, settings: Settings) => ({ name, output: 'small.jpg', settings, origin: 'https://whittle.example.com' })
  const textOf = (id: string, name: string, settings: Settings) => codeSamples(job(name, settings)).find((one) => one.id === id)!.text

  it('has the chosen options in every language', () => {
    const settings: Settings = { quality: 'high', output: 'webp', targetSize: 70_000, metadata: 'strip' }
    for (const { id, text } of codeSamples(job('photo.jpg', settings)))
      for (const value of ['high', 'webp', '70000', 'strip', 'photo.jpg', 'small.jpg']) expect(text, id).toContain(value)
    for (const { text } of codeSamples(job('photo.jpg', { quality: 'low', metadata: 'keep' })))
      expect(text).not.toMatch(/webp|metadata|target/i)
  })

  it('passes the name of a file to the shell as one word', () => {
    const names = ["it's.jpg", 'a b.jpg', '$(touch x).jpg', '-rf.jpg', 'ü;,".jpg', '`id`\n.jpg']
    for (const name of names) {
      const line = textOf('cli', name, { quality: 'low', metadata: 'keep' })
        .split('\n# ')[0]!
        .slice('# runs on your computer and needs no key\n'.length)
      const seen = execFileSync('sh', ['-c', `whittle() { printf '%s\\0' "$@"; exit 0; }\n${line}`], { encoding: 'utf8' }).split('\0')
      expect(seen[0]).toBe(name.startsWith('-') ? `./${name}` : name)
    }
  })

  it('writes names as literals of the language', () => {
    const name = `it's "a" \\ file.jpg`
    expect(textOf('php', name, { quality: 'low', metadata: 'keep' })).toContain(`'it\\'s "a" \\\\ file.jpg'`)
    expect(textOf('python', name, { quality: 'low', metadata: 'keep' })).toContain(JSON.stringify(name))
  })
})
