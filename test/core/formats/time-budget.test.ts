import { expect, test } from 'vitest'
import { estimatePictureSeconds } from '../../../src/core/embedded/cpu-estimate.ts'
import { eml } from '../../../src/core/formats/eml/eml.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { kmz } from '../../../src/core/formats/kmz/kmz.ts'
import { pptx } from '../../../src/core/formats/office/office.ts'
import { pdf } from '../../../src/core/formats/pdf/pdf.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { TimeBudget } from '../../../src/core/model/time-budget.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { deck } from '../../support/deck.ts'
import { inEnglish, textsOf } from '../../support/in-english.ts'
import { jpegOf, partsOf, photo, pngOf, zipOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { buildPdf } from './pdf/build.ts'

test('copies pictures beyond the time budget and reports it in the receipt', async () => {
  const zip = await deck(3, 60_000)
  const before = await partsOf(zip)
  const photographs = [1, 2, 3].map((number) => `ppt/media/image${number}.jpeg`)
  const left = async (time: TimeBudget) => {
    const { outcome, bytes } = await pressFile(pptx, zip, 'a.pptx', { lent: { jpg }, timeBudget: () => time })
    const after = await partsOf(bytes)
    const steps = outcome.kind === 'compressed' ? textsOf(outcome.steps) : []
    return { steps, same: photographs.map((name) => Buffer.compare(before.get(name)!, after.get(name)!) === 0) }
  }
  expect(await left(new TimeBudget())).toMatchObject({ same: [false, false, false] })
  // A picture of 60,000 pixels takes about 0.04 s.
  const { steps, same } = await left(new TimeBudget(0.06))
  expect(same).toEqual([false, true, true])
  expect(steps).toContain('2 images left unchanged, because the CPU time limit was reached')
})

test('recompresses photographs beyond the time budget without loss while that time lasts', async () => {
  const zip = await deck(3, 60_000)
  const before = await partsOf(zip)
  // Lossless recompression of one photograph takes slightly more than 0.02 s.
  const { outcome, bytes } = await pressFile(pptx, zip, 'a.pptx', { lent: { jpg }, timeBudget: () => new TimeBudget(0, 0.06) })
  const after = await partsOf(bytes)
  const sizes = [1, 2, 3].map(
    (number) => [before, after].map((parts) => parts.get(`ppt/media/image${number}.jpeg`)!.length) as [number, number],
  )
  expect(sizes.map(([was, is]) => is < was)).toEqual([true, true, false])
  expect(inEnglish(outcome)).toMatchObject({
    kind: 'compressed',
    steps: expect.arrayContaining([
      '2 images recompressed losslessly only, because the CPU time limit was reached',
      '1 image left unchanged, because the CPU time limit was reached',
    ]),
  })
  expect(outcome).not.toHaveProperty('loss')
})

test('applies the time budget to pages of a PDF', async () => {
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
    const { outcome } = await pressFile(pdf, bytes, 'a.pdf', { timeBudget: () => time })
    return outcome.kind === 'compressed' ? textsOf(outcome.steps) : []
  }
  expect(await stepsWithin(new TimeBudget())).toContain('2 images re-encoded as JPEG')
  // One picture takes about 0.037 s, of which 0.02 s do not depend on its size.
  const steps = await stepsWithin(new TimeBudget(0.05))
  expect(steps).toContain('1 images re-encoded as JPEG')
  expect(steps).toContain('1 image left unchanged, because the CPU time limit was reached')
})

test('counts small pictures by their fixed cost, not by their size (two-thousand-pngs)', async () => {
  const pictures = Array.from({ length: 8 }, (_, i) => [`files/${i}.png`, pngOf(photo(24, 24, i + 1), 24, 24)] as const)
  const zip = await zipOf({ 'doc.kml': '<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>', ...Object.fromEntries(pictures) })
  const stepsWithin = async (seconds: number) => {
    const { outcome } = await pressFile(kmz, zip, 'a.kmz', { lent: { png }, timeBudget: () => new TimeBudget(seconds) })
    return outcome.kind === 'compressed' ? textsOf(outcome.steps) : []
  }
  expect(await stepsWithin(2)).not.toContainEqual(expect.stringContaining('CPU time limit'))
  expect(await stepsWithin(0.5)).toContain('4 images left unchanged, because the CPU time limit was reached')
})

test('does not overestimate large PNG photographs: the first megabyte counts most', () => {
  const seconds = (width: number, height: number, bytes: number) =>
    estimatePictureSeconds({ kind: 'png', width, height, comparable: true, mayBeTransparent: false, isRotated: false }, bytes)
  // Measured: 5 to 7 s for one megabyte, 10 to 14 s for five.
  expect(seconds(1020, 765, 1e6)).toBeGreaterThan(5)
  expect(seconds(1020, 765, 1e6)).toBeLessThan(7)
  expect(seconds(1600, 1200, 4.8e6)).toBeGreaterThan(10)
  expect(seconds(1600, 1200, 4.8e6)).toBeLessThan(15)
})

const drawing = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${content}</svg>`

test('subtracts the measured time of a drawing from the budget of the other files in a mail', async () => {
  const blurs = '<feGaussianBlur stdDeviation="20"/>'.repeat(10)
  const heavy = drawing(
    `<filter id="f" x="-1000%" y="-1000%" width="100000%" height="100000%">${blurs}</filter><rect width="99" height="99" filter="url(#f)"/>`,
  )
  const light = drawing('<rect width="99.123456" height="99"/>')
  const leaves = async (text: string, seconds: number) => {
    const time = new TimeBudget(1)
    await optionsOf(svg.format, { svg }, { timeBudget: () => time }).inner.compress(new TextEncoder().encode(text), 'a.svg')
    return time.take(seconds)
  }
  expect(await leaves(light, 0.9)).toBe(true)
  expect(await leaves(heavy, 0.9)).toBe(false)
})

test('counts attachments other than pictures, and pictures inside a drawing', async () => {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const wrapped = (bytes: Uint8Array) => base64(bytes).replace(/.{76}/g, '$&\r\n')
  const pictures = [1, 2, 3].map((seed) => pngOf(photo(24, 24, seed), 24, 24))
  const images = pictures.map((bytes) => `<image width="9" height="9" href="data:image/png;base64,${base64(bytes)}"/>`)
  const text = new TextEncoder().encode(drawing(`${images.join('')}<rect width="99.123456" height="99"/>`))
  const { outcome } = await pressFile(svg, text, 'a.svg', { lent: { svg, png }, timeBudget: () => new TimeBudget(0.25) })
  expect(outcome.kind === 'compressed' && textsOf(outcome.steps)).toContain(
    '1 image left unchanged, because the CPU time limit was reached',
  )

  const part = `--b\r\nContent-Type: image/svg+xml; name=a.svg\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrapped(text)}\r\n`
  const mail = new TextEncoder().encode(
    `From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(3)}--b--\r\n`,
  )
  const time = new TimeBudget(0)
  const sent = await pressFile(eml, mail, 'a.eml', { output: 'eml', lent: { svg, png }, timeBudget: () => time })
  expect(sent.outcome.kind).toBe('unchanged')
  expect(textsOf(time.steps())).toEqual(['3 embedded files left unchanged, because the CPU time limit was reached'])
})

test('counts images of a PDF by their number too', async () => {
  const side = 24
  const dict = `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceRGB/BitsPerComponent 8`
  const images = Array.from({ length: 6 }, (_, i) => ({ dict, data: photo(side, side, i + 1) }))
  const names = images.map((_, i) => `/I${i} ${5 + i} 0 R`).join('')
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</XObject<<${names}>>>>/Contents 4 0 R>>`
  const drawn = images.map((_, i) => `q 9 0 0 9 ${i * 10} 0 cm /I${i} Do Q`).join(' ')
  const catalog = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>']
  const bytes = buildPdf([...catalog, page, { dict: '', data: drawn }, ...images])
  const time = new TimeBudget(0.1)
  await pressFile(pdf, bytes, 'a.pdf', { timeBudget: () => time })
  expect(textsOf(time.steps())).toEqual(['4 images left unchanged, because the CPU time limit was reached'])
})
