/** Tests the public library: its inputs and results, and that a bad file never throws. */
import { describe, expect, it } from 'vitest'
import { MEDIA_CODECS } from '../../src/core/formats/media.ts'
import {
  compress,
  formats,
  identify,
  libraryOf,
  memorySource,
  PRESS_CODECS,
  readAll,
  TargetUnreachable,
  verify,
} from '../../src/core/index.ts'
import { GENERATORS } from '../support/generators.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const photo = async () => new Uint8Array(await GENERATORS.jpg[0].make())
const noise = () => {
  const random = randomNumbers(7)
  return Uint8Array.from({ length: 4000 }, () => 128 + Math.floor(random() * 128))
}

describe('compress', () => {
  it('returns the same result for bytes, buffers, blobs, streams and sources', async () => {
    const bytes = await photo()
    const inputs = [bytes, bytes.slice().buffer, new Blob([bytes.slice()]), new Blob([bytes.slice()]).stream(), memorySource(bytes, '')]
    const hashes = new Set<string>()
    for (const input of inputs) {
      const { result, receipt } = await compress(input)
      expect(receipt).toMatchObject({ format: 'jpg', output_format: 'jpg', quality: 'medium', original_size: bytes.length })
      expect(receipt.result).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual', verified: true })
      expect(result.size).toBe(receipt.compressed_size)
      expect(result.size).toBeLessThan(bytes.length)
      hashes.add(receipt.result.sha256)
    }
    expect(hashes.size).toBe(1)
  })

  it('writes the messages of a receipt in the language of the caller', async () => {
    const text = ({ code }: { readonly code: string }) => `<${code}>`
    const { receipt } = await compress(await photo(), { text })
    expect(receipt.result.steps?.length).toBeGreaterThan(0)
    for (const step of receipt.result.steps ?? []) expect(step).toMatch(/^<\w+>$/)
    expect((await compress(noise(), { text })).receipt.result.detail).toBe('<no_format_recognises_file>')
  })

  it('names a known type without a compressor, and how to pack it', async () => {
    const { result, receipt } = await compress(new TextEncoder().encode('8BPS\0\x01\0\0\0\0\0\0'))
    expect(receipt.result).toMatchObject({ reason: 'unsupported_feature', detail: expect.stringMatching(/Photoshop.+`format=zst`/) })
    expect(result.size).toBe(12)
    const film = await compress(new TextEncoder().encode('FLV\x01\x05\0\0\0\x09\0\0\0\0'))
    expect(film.receipt.result.detail).toMatch(/Flash video.+`format=mp4` converts it/)
  })

  it('reports progress, and converts to another output', async () => {
    const shares: number[] = []
    const { receipt } = await compress(await photo(), { output: 'webp', quality: 'low', onProgress: (share) => shares.push(share) })
    expect(receipt).toMatchObject({ output_format: 'webp', quality: 'low', result: { outcome: 'compressed' } })
    expect(shares.length).toBeGreaterThan(0)
  })

  it('returns unrecognised and damaged files unchanged', async () => {
    for (const [bytes, format, reason] of [
      [noise(), 'unknown', 'unsupported_feature'],
      [(await photo()).subarray(0, 2000), 'jpg', 'malformed'],
    ] as const) {
      const { result, receipt } = await compress(bytes)
      expect(receipt).toMatchObject({ format, result: { outcome: 'unchanged', reason } })
      expect(Buffer.compare(await readAll(result), bytes)).toBe(0)
      expect(receipt.result.sha256).toBe(receipt.result.original_sha256)
    }
  })

  it('throws for an invalid output, an invalid quality and an aborted signal', async () => {
    await expect(compress(await photo(), { output: 'mp4' })).rejects.toThrow(/cannot be converted to 'mp4'.*jpg, png, webp, avif/)
    await expect(compress(await photo(), { quality: 'ultra' })).rejects.toThrow(RangeError)
    await expect(compress(await photo(), { signal: AbortSignal.abort() })).rejects.toThrow()
  })

  it('throws if no result that keeps the floors fits into the target size, also for damaged files', async () => {
    await expect(compress(await photo(), { targetSize: 100 })).rejects.toThrow(TargetUnreachable)
    await expect(compress((await photo()).subarray(0, 2000), { targetSize: 1000 })).rejects.toThrow(TargetUnreachable)
  })

  it('uses the given name, also for a source', async () => {
    const text = memorySource(new TextEncoder().encode('a,b\n1,2\n'.repeat(400)), 'x')
    const { receipt } = await compress(text, { name: 'table.csv' })
    expect(receipt).toMatchObject({ format: 'text', result: { outcome: 'compressed' } })
  })

  it('encrypts with a password', async () => {
    const { result, receipt } = await compress(await photo(), { password: 'correct horse', name: 'a.jpg' })
    expect(receipt).toMatchObject({ encrypted: true, output_format: 'zip' })
    expect([...(await result.read(0, 2))]).toEqual([0x50, 0x4b])
  })

  it('has no film codecs, which another set of codecs adds', async () => {
    const film = await GENERATORS.mov[0].make()
    expect((await compress(film)).receipt.result).toMatchObject({ outcome: 'unchanged', reason: 'unsupported_feature' })
    const { receipt } = await libraryOf({ ...PRESS_CODECS, ...MEDIA_CODECS }).compress(film, { quality: 'low' })
    expect(receipt).toMatchObject({ format: 'mov', result: { outcome: 'compressed' } })
  })
})

describe('verify', () => {
  it('confirms a true receipt, and detects a changed result', async () => {
    const original = await photo()
    const { result, receipt } = await compress(original)
    const verdicts = (findings: readonly { verdict: string }[]) => new Set(findings.map(({ verdict }) => verdict))
    expect(verdicts((await verify(original, result, receipt)).findings)).not.toContain('false')
    const changed = (await readAll(result)).slice()
    changed[changed.length >> 1]! ^= 1
    expect(verdicts((await verify(original, changed, receipt)).findings)).toContain('false')
  })

  it('confirms the receipt of a file without a format, and detects another result', async () => {
    const { receipt } = await compress(noise())
    const falseFields = async (result: Uint8Array) =>
      (await verify(noise(), result, receipt)).findings.filter(({ verdict }) => verdict === 'false').map(({ field }) => field)
    expect(await falseFields(noise())).toEqual([])
    expect(await falseFields(noise().with(0, 1))).toEqual(expect.arrayContaining(['outcome']))
  })

  it('measures two files without a receipt', async () => {
    const original = await photo()
    const { result } = await compress(original, { quality: 'high' })
    expect(await verify(original, result)).toMatchObject({ format: 'jpg', output: 'jpg' })
  })
})

it('identifies files by their bytes, and lists the formats', async () => {
  expect((await identify(await photo(), 'a.txt'))?.id).toBe('jpg')
  expect(await identify(noise())).toBeUndefined()
  expect(formats().map(({ id }) => id)).toContain('pdf')
})
