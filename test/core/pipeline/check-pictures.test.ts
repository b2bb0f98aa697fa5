/** Tests `whittle verify` of 16-bit and CMYK pictures: the loss of rounding and conversion is measured again. */
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { pictureSimilarity } from '../../../src/core/audit/pictures.ts'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { encodeRows } from '../../../wasm/jpeg/jpeg.ts'
import { chunk } from '../../../wasm/png/chunks.ts'
import { pressFile } from '../../support/press-file.ts'
import { CODECS, check, compressWithReceipt, falseFieldsOfClaim, falseOf, uncheckedFields } from '../../support/receipts.ts'

const SIDE = 240
const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)

/** Returns a value from 0 to 1 that lies midway between two 8-bit values. */
const between = (x: number, y: number) => (60 + ((((x / 24) | 0) * 7 + ((y / 18) | 0) * 5) % 11) + 0.45) / 255

/** Returns a slope with waves, from 0 to 1, whose fine steps need more than 8 bits. */
const shade = (x: number, y: number, c: number) => 0.3 + 0.0004 * x + 0.0003 * y + 0.02 * Math.sin(x / 11 + c) * Math.cos(y / 13)

function pngOf(bits: 8 | 16, shadeOf: (x: number, y: number, c: number) => number): Uint8Array {
  const [bytes, highest] = [bits / 8, 2 ** bits - 1]
  const rowBytes = 1 + SIDE * 3 * bytes
  const data = Buffer.alloc(SIDE * rowBytes)
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      for (let c = 0; c < 3; c++) data.writeUIntBE(Math.round(highest * shadeOf(x, y, c)), y * rowBytes + 1 + (x * 3 + c) * bytes, bytes)
  const header = new Uint8Array(13)
  new DataView(header.buffer).setUint32(0, SIDE)
  new DataView(header.buffer).setUint32(4, SIDE)
  header.set([bits, 2], 8)
  return concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(data)), chunk('IEND')])
}

async function inks(): Promise<Uint8Array> {
  const pixels = Uint8Array.from({ length: SIDE * SIDE * 4 }, (_, i) => {
    const [x, y] = [(i >> 2) % SIDE, Math.floor((i >> 2) / SIDE)]
    return 120 + 60 * Math.sin(x / 9 + (i & 3)) + 40 * Math.cos(y / 7) + ((x * 31 + y * 17) % 13)
  })
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'cmyk', quality: 97 }, [pixels])
  return new Uint8Array(Buffer.concat(chunks))
}

interface Row {
  readonly holds: string
  readonly id: FormatId
  readonly make: () => Uint8Array | Promise<Uint8Array>
  readonly output: OutputId
}

const PICTURES: readonly Row[] = [
  ...(['webp', 'jpg', 'avif'] as const).map((output) => ({ holds: '16 bits', id: 'png' as const, make: () => pngOf(16, shade), output })),
  ...(['webp', 'avif'] as const).map((output) => ({ holds: 'inks', id: 'jpg' as const, make: inks, output })),
  { holds: 'inks', id: 'jpg', make: inks, output: 'jpg' },
]

it.each(PICTURES)('$holds as $output: confirms the true figures, and rejects slightly higher ones', async (row) => {
  const made = await compressWithReceipt(row.id, 'a', await row.make(), row.output, 'high')
  const checked = await check(made, made.claims)
  expect(falseOf(checked)).toEqual([])
  expect(uncheckedFields(checked)).toEqual([])
  // JPEG receipts also count the rounding before the encoder, so their claims are lower than the measured figures.
  const { ssim, psnrDb } = checked.measured!.loss!.pictures!
  if (ssim < 0.99) expect(await falseFieldsOfClaim(made, { ssim: ssim + 0.01 })).toContain('ssim')
  expect(await falseFieldsOfClaim(made, { psnr_db: psnrDb + 0.5 })).toContain('psnr_db')
})

it('detects the loss of rounding 16 bits to 8 bits', async () => {
  const { bytes } = await pressFile(CODECS.png!, pngOf(8, between), 'a.png', { output: 'webp', lossless: true })
  const pair = {
    original: memorySource(pngOf(16, between), 'a.png'),
    format: 'png',
    result: memorySource(bytes, 'a.webp'),
    output: 'webp',
  } as const
  const options = { quality: 'high', output: 'webp', memoryBudget: 96 << 20, signal: new AbortController().signal } as const
  const inner = { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) as const }
  const { psnrDb } = await pictureSimilarity(pair, { ...options, inner, progress: () => undefined })
  expect(psnrDb).toBeCloseTo(20 * Math.log10(255 / 0.45), 1)
})
