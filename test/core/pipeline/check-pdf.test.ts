/** Tests `whittle verify` of PDF pictures: as stored and as rendered at 144 dpi. A receipt claims the worse of both. */
import { expect, it } from 'vitest'
import { encodeRows } from '../../../wasm/jpeg/jpeg.ts'
import { check, compressWithReceipt, falseFieldsOfClaim, falseOf, uncheckedFields } from '../../support/receipts.ts'
import { buildPdf, flate, type Part } from '../formats/pdf/build.ts'

/** Side of the picture in pixels. */
const SIDE = 576

/** Returns waves with fine noise, which lose more detail at 96 dpi than a page shows at 144 dpi. */
const waves = (channels: number): Uint8Array =>
  Uint8Array.from({ length: SIDE * SIDE * channels }, (_, i) => {
    const pixel = Math.floor(i / channels)
    const [x, y] = [pixel % SIDE, Math.floor(pixel / SIDE)]
    return 128 + 60 * Math.sin(x / 9 + (i % channels)) + 40 * Math.cos(y / 7) + ((x * 31 + y * 17) % 13)
  })

const dictionary = (space: string, more = '') =>
  `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/${space}/BitsPerComponent 8${more}`

/** Returns a page that a picture fills. `points`: side of the page. `pictures`: the picture and objects it refers to. */
const page = (points: number, ...pictures: Part[]): Uint8Array =>
  buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${points} ${points}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${points} 0 0 ${points} 0 0 cm /I Do Q` },
    ...pictures,
  ])

const samples = (space: string, pixels: Uint8Array, more = '') => ({
  dict: dictionary(space, `/Filter/FlateDecode${more}`),
  data: flate(pixels),
})

async function jpegPage(): Promise<Uint8Array> {
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality: 95 }, [waves(1)])
  return page(100, { dict: dictionary('DeviceGray', '/Filter/DCTDecode'), data: new Uint8Array(Buffer.concat(chunks)) })
}

/** Mask that shows the left part of the picture. */
const mask = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (i % SIDE < 200 ? 255 : 0))
/** Picture that is black where the mask hides it, as in most documents. */
const cutOut = waves(3).map((value, i) => (Math.floor(i / 3) % SIDE < 200 ? value : 0))

const DOCUMENTS = [
  { holds: 'a JPEG', worst: 'pixels', make: jpegPage },
  { holds: 'colours that were reduced', worst: 'page_144dpi', make: () => page(200, samples('DeviceRGB', waves(3))) },
  { holds: 'inks', worst: 'page_144dpi', make: () => page(200, samples('DeviceCMYK', waves(4))) },
  {
    holds: 'colours below a mask that was reduced, too',
    worst: 'pixels',
    make: () => page(200, samples('DeviceRGB', cutOut, '/SMask 6 0 R'), samples('DeviceGray', mask)),
  },
  {
    holds: 'the same colours twice',
    worst: 'page_144dpi',
    make: () =>
      buildPdf([
        '<</Type/Catalog/Pages 2 0 R>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R/Resources<</XObject<</I 5 0 R/J 6 0 R>>>>>>',
        { dict: '', data: 'q 200 0 0 200 0 0 cm /I Do Q q 200 0 0 200 200 0 cm /J Do Q' },
        samples('DeviceRGB', waves(3)),
        samples('DeviceRGB', waves(3)),
      ]),
  },
]

it.each(DOCUMENTS)('$holds: confirms the true figures, and rejects slightly higher ones', async ({ worst, make: document }) => {
  const made = await compressWithReceipt('pdf', 'page.pdf', await document(), 'pdf', 'low')
  const { ssim, psnr_db, measured_at } = made.claims.result
  expect(measured_at).toBe(worst)
  const checked = await check(made, made.claims)
  expect(falseOf(checked)).toEqual([])
  expect(uncheckedFields(checked)).toEqual([])
  expect(checked.measured?.loss?.pictures?.measuredAt).toBe(worst)
  expect(await falseFieldsOfClaim(made, { ssim: ssim! + 0.01 })).toContain('ssim')
  expect(await falseFieldsOfClaim(made, { psnr_db: psnr_db! + 0.5 })).toContain('psnr_db')
})
