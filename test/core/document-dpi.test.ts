/** Tests `dpi`: pictures of documents are reduced to a resolution at the size they are shown. */
import { expect, it } from 'vitest'
import { readPictureHeader } from '../../src/core/embedded/image-header.ts'
import { compress, readAll } from '../../src/core/index.ts'
import { document, drawing } from '../support/office.ts'
import { jpegOf, partsOf, photo, zipOf } from '../support/packages.ts'
import { buildPdf } from './formats/pdf/build.ts'

const [WIDTH, HEIGHT] = [600, 450]
const picture = () => jpegOf(photo(WIDTH, HEIGHT), WIDTH, HEIGHT)

/** Page with the picture 2 inches wide: 300 dpi. */
async function page(): Promise<Uint8Array> {
  const data = await picture()
  const dict = `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
    { dict: '', data: 'q 144 0 0 108 20 20 cm /I Do Q' },
    { dict, data },
  ])
}

/** Width of the only picture of a PDF. */
const pdfWidth = (bytes: Uint8Array) => Number(/\/Width (\d+)/.exec(Buffer.from(bytes).toString('latin1'))?.[1])

it.each([
  [72, 144],
  [100, 200],
  [290, 580],
  [600, WIDTH],
] as const)('PDF: %i dpi makes a picture of 300 dpi %i pixels wide, at every level', async (dpi, width) => {
  const file = await page()
  for (const quality of dpi === 100 ? (['low', 'medium', 'high'] as const) : (['medium'] as const)) {
    const { result, receipt } = await compress(file, { dpi, quality })
    expect(receipt.result).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual' })
    expect(receipt.result.ssim).toBeGreaterThanOrEqual(0.9)
    expect(pdfWidth(await readAll(result))).toBe(width)
  }
})

it.each([
  [100, 200],
  [250, 500],
] as const)('Word: %i dpi makes a picture of 300 dpi %i pixels wide', async (dpi, width) => {
  const file = await zipOf(
    document(drawing('rId7', 2, 1.5), [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': await picture() }),
  )
  const { result, receipt } = await compress(file, { dpi, quality: 'high' })
  expect(receipt.result).toMatchObject({ outcome: 'compressed', fidelity: 'perceptual' })
  const part = (await partsOf(await readAll(result))).get('word/media/image1.jpeg')
  expect(part && readPictureHeader(part)).toMatchObject({ width })
})

it.each([71, 601, Number.NaN])('refuses %s dpi', async (dpi) => {
  await expect(compress(await page(), { dpi })).rejects.toThrow(RangeError)
})

it('refuses dpi for a file without pages', async () => {
  await expect(compress(await picture(), { dpi: 100 })).rejects.toThrow(/pages/)
})
