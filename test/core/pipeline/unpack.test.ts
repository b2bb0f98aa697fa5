/** Files that results hold byte for byte are given back. */
import { expect, it } from 'vitest'
import { compress } from '../../../src/core/index.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { unpackToMemory } from '../../../src/core/pipeline/unpack.ts'
import { jpegOf, photo } from '../../support/packages.ts'

const MOST_BYTES = 1_000_000
const TEXT = new TextEncoder().encode('words that repeat, and words that repeat. '.repeat(200))

async function packed(bytes: Uint8Array, name: string, output: string) {
  const { result, name: resultName } = await compress(bytes, { name, output })
  return memorySource(await readAll(result), resultName)
}

it.each(['zst', 'gz', 'br'])('the file in a %s, under its own name', async (output) => {
  const source = await packed(TEXT, 'notes.md', output)
  expect(source.name).toBe(`notes.md.${output}`)
  const { name, bytes } = await unpackToMemory(source, MOST_BYTES)
  expect([name, Buffer.compare(bytes, TEXT)]).toEqual(['notes.md', 0])
})

it('the JPEG in a JPEG XL, whatever the name', async () => {
  const jpeg = await jpegOf(photo(160, 120), 160, 120)
  const source = await packed(jpeg, 'photo.jpeg', 'jxl')
  expect(source.name).toBe('photo.jxl')
  for (const [given, expected] of [
    ['photo.jxl', 'photo.jpg'],
    ['download', 'download.jpg'],
  ] as const) {
    const { name, bytes } = await unpackToMemory({ ...source, name: given }, MOST_BYTES)
    expect([name, Buffer.compare(bytes, jpeg)]).toEqual([expected, 0])
  }
})

it('refuses a file that holds none, a damaged one, and one that becomes too large', async () => {
  const refusal = (source: Parameters<typeof unpackToMemory>[0], most = MOST_BYTES) =>
    unpackToMemory(source, most).then(
      () => 'unpacked',
      (error: { reason?: string }) => error.reason,
    )
  expect(await refusal(memorySource(TEXT, 'notes.md'))).toBe('unsupported_feature')
  for (const output of ['zst', 'gz', 'br']) {
    const source = await packed(TEXT, 'notes.md', output)
    expect(await refusal(source, TEXT.length - 1)).toBe('over_budget')
    const whole = await readAll(source)
    expect(await refusal(memorySource(whole.subarray(0, whole.length - 9), source.name))).toBe('malformed')
  }
})
