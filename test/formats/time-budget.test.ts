import { expect, test } from 'vitest'
import type { Options } from '../../src/codec/codec.ts'
import { memorySink } from '../../src/codec/sink.ts'
import { memorySource } from '../../src/codec/source.ts'
import { TimeBudget } from '../../src/codec/time-budget.ts'
import { jpg } from '../../src/formats/jpg/jpg.ts'
import { pptx } from '../../src/formats/office/office.ts'
import { pdf } from '../../src/formats/pdf/pdf.ts'
import { compress } from '../../src/pipeline/compress.ts'
import { lendCodecs } from '../../src/pipeline/inner.ts'
import { deck } from '../support/deck.ts'
import { jpegOf, partsOf, photo, press } from '../support/packages.ts'
import { buildPdf } from './pdf/build.ts'

const options: Omit<Options, 'inner'> = {
  quality: 'medium',
  output: 'pptx',
  memoryBudget: 96 * 2 ** 20,
  signal: new AbortController().signal,
  progress: () => undefined,
}

test('pictures for which there is no time left stay as they are, and the receipt says so', async () => {
  const zip = await deck(3, 60_000)
  const before = await partsOf(zip)
  const photographs = [1, 2, 3].map((number) => `ppt/media/image${number}.jpeg`)
  const left = async (time: TimeBudget) => {
    const { outcome, bytes } = await press(pptx, zip, 'medium', lendCodecs({ jpg }, options, 0, time))
    const after = await partsOf(bytes)
    const steps = outcome.kind === 'compressed' ? outcome.steps : []
    return { steps, same: photographs.map((name) => Buffer.compare(before.get(name)!, after.get(name)!) === 0) }
  }
  expect(await left(new TimeBudget())).toMatchObject({ same: [false, false, false] })
  // One of 60,000 pixels takes some 0.02 s.
  const { steps, same } = await left(new TimeBudget(0.03))
  expect(same).toEqual([false, true, true])
  expect(steps).toContain('2 pictures left as they are, for want of processor time')
})

test('pages of a PDF, too', async () => {
  const [width, height] = [320, 240]
  const dict = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`
  const page = (image: number) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 320 240]/Resources<</XObject<</I ${image} 0 R>>>>/Contents ${image + 1} 0 R>>`
  const contents = { dict: '', data: 'q 320 0 0 240 0 0 cm /I Do Q' }
  const image = async (seed: number) => ({ dict, data: await jpegOf(photo(width, height, seed), width, height) })
  const images = [await image(1), await image(2)] as const
  const pages = [page(4), images[0], contents, page(7), images[1], contents]
  const bytes = buildPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>', ...pages])
  const stepsWithin = async (time: TimeBudget) => {
    const sink = memorySink(bytes.length, 'a.pdf')
    const base = { ...options, output: 'pdf' as const }
    const inner = lendCodecs({}, base, 0, time)
    const { outcome } = await compress(pdf, memorySource(bytes, 'a.pdf'), async () => sink, { ...base, inner })
    return outcome.kind === 'compressed' ? outcome.steps : []
  }
  expect(await stepsWithin(new TimeBudget())).toContain('2 images as JPEG')
  // One of them takes some 0.017 s.
  const steps = await stepsWithin(new TimeBudget(0.03))
  expect(steps).toContain('1 images as JPEG')
  expect(steps).toContain('1 picture left as it is, for want of processor time')
})
