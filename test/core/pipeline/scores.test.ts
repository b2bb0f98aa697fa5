/** Tests the SSIMULACRA 2 score in receipts: it is that of the decoded result by the definition, and missing where there is none. */
import { describe, expect, it } from 'vitest'
import { TEXT } from '../../../src/core/catalog/formats/text.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { decodedRows } from '../../../src/core/images/convert/decoders.ts'
import type { Codec, Outcome, Source } from '../../../src/core/model/codec.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { jpegOf, partsOf, photo, pngOf, zipOf } from '../../support/packages.ts'
import { bmpFile, gifFile } from '../../support/picture-files.ts'
import { pressFile } from '../../support/press-file.ts'
import { check, compressWithReceipt, falseFields, falseFieldsOfClaim, falseOf } from '../../support/receipts.ts'
import { definition } from '../metrics/ssimulacra2-definition.ts'

const [WIDTH, HEIGHT] = [110, 80]
const PHOTO = photo(WIDTH, HEIGHT, 3)

/** Returns the RGB samples as rendered. */
async function shown(bytes: Uint8Array, output: string): Promise<Uint8Array> {
  const strips: Uint8Array[] = []
  for await (const strip of decodedRows(output, memorySource(bytes, ''), { width: WIDTH, height: HEIGHT })) strips.push(strip.slice())
  return Uint8Array.from(Buffer.concat(strips).filter((_, i) => i % 4 < 3))
}

const floorTo = (value: number) => Math.floor(value * 10) / 10

describe('the score of a receipt', () => {
  it.each<[FormatId, OutputId, () => Promise<Uint8Array>]>([
    ['jpg', 'jpg', () => jpegOf(PHOTO, WIDTH, HEIGHT)],
    ['jpg', 'webp', () => jpegOf(PHOTO, WIDTH, HEIGHT)],
    ['png', 'png', async () => pngOf(PHOTO, WIDTH, HEIGHT)],
    ['png', 'avif', async () => pngOf(PHOTO, WIDTH, HEIGHT)],
  ])('of %s as %s equals the definition, and verification rejects a higher one', async (id, output, file) => {
    const made = await compressWithReceipt(id, `a.${id}`, await file(), output, 'low')
    const { ssimulacra2 } = made.claims.result
    const [before, after] = [await shown(made.file, id), await shown(made.bytes, output)]
    expect(ssimulacra2).toBe(floorTo(definition(before, after, WIDTH, HEIGHT, true)))
    expect(falseOf(await check(made, made.claims))).toEqual([])
    expect(await falseFieldsOfClaim(made, { ssimulacra2: ssimulacra2! + 1 })).toEqual(['ssimulacra2'])
  })

  it.each<[FormatId, () => Uint8Array]>([
    ['bmp', () => bmpFile(WIDTH, HEIGHT, PHOTO)],
    ['gif', () => animation(1)],
  ])('of %s is that which is measured anew', async (id, file) => {
    const made = await compressWithReceipt(id, `a.${id}`, file(), id as OutputId, 'low')
    const { ssimulacra2 } = made.claims.result
    expect(ssimulacra2).toBeGreaterThan(30)
    expect(falseOf(await check(made, made.claims))).toEqual([])
    expect(await falseFieldsOfClaim(made, { ssimulacra2: ssimulacra2! + 1 })).toEqual(['ssimulacra2'])
  })

  it('of a document is the lowest of its pictures, without small ones', async () => {
    const parts = {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container/>',
      'a.jpg': await jpegOf(PHOTO, WIDTH, HEIGHT),
      'b.jpg': await jpegOf(photo(WIDTH, HEIGHT, 8), WIDTH, HEIGHT),
      'small.jpg': await jpegOf(photo(60, 200, 5), 60, 200),
    }
    const made = await compressWithReceipt('epub', 'a.epub', await zipOf(parts), 'epub', 'low')
    const results = await partsOf(made.bytes)
    expect(results.get('small.jpg')!.length).toBeLessThan(parts['small.jpg'].length)
    const scores = await Promise.all(
      (['a.jpg', 'b.jpg'] as const).map(async (name) =>
        definition(await shown(parts[name], 'jpg'), await shown(results.get(name)!, 'jpg'), WIDTH, HEIGHT, true),
      ),
    )
    expect(made.claims.result.ssimulacra2).toBe(floorTo(Math.min(...scores)))
    expect(await falseFieldsOfClaim(made, { ssimulacra2: floorTo(Math.max(...scores)) + 1 })).toEqual(['ssimulacra2'])
  })

  it.each<[string, FormatId, () => Promise<Uint8Array>, OutputId]>([
    ['a picture of less than 64 pixels a side', 'jpg', () => jpegOf(photo(63, 200), 63, 200), 'jpg'],
    ['an animation', 'gif', async () => animation(3), 'gif'],
  ])('is absent of %s', async (_, id, file, output) => {
    const made = await compressWithReceipt(id, `a.${id}`, await file(), output, 'low')
    expect(made.claims.result.ssim).toBeLessThan(1)
    expect(made.claims.result).not.toHaveProperty('ssimulacra2')
    expect(await falseFieldsOfClaim(made, { ssimulacra2: 1 })).toEqual(['ssimulacra2'])
  })

  it('is missing for lossless results and in old receipts', async () => {
    const exact = await compressWithReceipt('png', 'a.png', pngOf(PHOTO, WIDTH, HEIGHT), 'png', 'high')
    expect(exact.claims.result).toMatchObject({ outcome: 'compressed', fidelity: 'lossless' })
    expect(exact.claims.result).not.toHaveProperty('ssimulacra2')
    const made = await compressWithReceipt('jpg', 'a.jpg', await jpegOf(PHOTO, WIDTH, HEIGHT), 'jpg', 'low')
    const { ssimulacra2: _, ...result } = made.claims.result
    expect(falseFields(await check(made, { ...made.claims, result }))).toEqual([])
  })

  it('is that of the verification, not that of the search', async () => {
    const pictures = { ssim: 0.95, psnrDb: 40, measuredAt: 'pixels', ssimulacra2: 99 } as const
    const codec = (found: { ssimulacra2?: number }): Codec => ({
      format: TEXT,
      compress: async (source: Source, sink): Promise<Outcome> => {
        await sink.write((await readAll(source)).slice(1))
        return { kind: 'compressed', loss: { pictures }, steps: [] }
      },
      verify: async () => ({ equal: true, ...found }),
    })
    const scoreOf = async (found: { ssimulacra2?: number }) => {
      const { outcome } = await pressFile(codec(found), new Uint8Array(100), 'a')
      return outcome.kind === 'compressed' ? outcome.loss?.pictures : undefined
    }
    expect(await scoreOf({ ssimulacra2: 71.5 })).toEqual({ ...pictures, ssimulacra2: 71.5 })
    expect(await scoreOf({})).toEqual(pictures)
  })
})

function animation(count: number): Uint8Array {
  const palette = Array.from({ length: 256 }, (_, i) => [i, (i * 3) & 255, 255 - i]).flat()
  const frames = Array.from({ length: count }, (_, frame) => ({
    delay: 10,
    pixels: Uint8Array.from({ length: 100 * 80 }, (_, i) => {
      const [x, y] = [i % 100, Math.floor(i / 100)]
      return Math.hypot(x - 12 - frame * 5, y - 24) < 8 ? 40 + ((x * y) % 9) : 128 + 50 * Math.sin(x / 11) * Math.cos(y / 7)
    }),
  }))
  return gifFile(100, 80, palette, frames)
}
