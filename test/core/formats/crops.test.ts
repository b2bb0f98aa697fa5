import { describe, expect, test } from 'vitest'
import { readPictureHeader } from '../../../src/core/embedded/image-header.ts'
import { jpg } from '../../../src/core/formats/jpg/jpg.ts'
import { docx } from '../../../src/core/formats/office/office.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import type { Message } from '../../../src/core/i18n/message.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { pngRows } from '../../../wasm/png/png.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { textsOf } from '../../support/in-english.ts'
import { document, drawing } from '../../support/office.ts'
import { jpegOf, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'

describe('crops', () => {
  const crop = (values: string) => `<a:srcRect ${values}/>`
  const shownParts = async (uses: string, picture?: Uint8Array) =>
    document(uses, [['rId7', 'media/image1.jpeg']], { 'word/media/image1.jpeg': picture ?? (await jpegOf(photo(320, 240), 320, 240)) })

  test('ultra crops to what is shown, and every use shows the same part', async () => {
    const parts = await shownParts(
      drawing('rId7', 9, 9, crop('l="10000" t="20000" r="50000" b="30000"')) +
        drawing('rId7', 9, 9, crop('l="20000" r="60000" b="40000" t="25000"')),
    )
    const zip = await zipOf(parts)
    const ultra = await press(docx, zip, 'ultra', { jpg, png })
    expect(withFidelity(ultra.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    expect(textsOf((ultra.outcome as { steps: Message[] }).steps)).toContain('1 pictures cropped to the visible area')
    const after = await partsOf(ultra.bytes)
    // Pixels 32…160 of 320 and 48…168 of 240 remain. The top left corner is on the 16-pixel grid of JPEG.
    const facts = readPictureHeader(after.get('word/media/image1.jpeg')!)!
    expect([facts.width, facts.height]).toEqual([128, 120])
    const rects = [...text(after.get('word/document.xml')).matchAll(/<a:srcRect([^>]*)\/>/g)].map(([, values]) => values)
    // The second use shows pixels 64…128 and 60…144.
    expect(rects).toEqual(['', ' l="25000" t="10000" r="25000" b="20000"'])
    const rest = (xml: string) => xml.replace(/<a:srcRect[^>]*>/g, '')
    expect(rest(text(after.get('word/document.xml')))).toBe(rest(parts['word/document.xml'] as string))
    const low = await partsOf((await press(docx, zip, 'low')).bytes)
    expect(text(low.get('word/document.xml'))).toBe(parts['word/document.xml'])
  })

  test.each([
    ['one use shows it whole', drawing('rId7', 9, 9, crop('l="50000"')) + drawing('rId7', 9, 9)],
    ['one use is not supported', `${drawing('rId7', 9, 9, crop('l="50000"'))}<v:shape><v:imagedata r:id="rId7"/></v:shape>`],
    ['little is cut off', drawing('rId7', 9, 9, crop('l="4000" t="5000"'))],
    ['it is padded instead', drawing('rId7', 9, 9, crop('l="60000" b="-10000"'))],
    ['a tiled fill refers to its size', drawing('rId7', 9, 9, `${crop('l="60000"')}<a:tile tx="0"/>`)],
  ])('keeps the whole picture when %s', async (_, uses) => {
    const parts = await shownParts(uses)
    const ultra = await press(docx, await zipOf(parts), 'ultra', { jpg, png })
    const after = await partsOf(ultra.bytes)
    expect(text(after.get('word/document.xml'))).toBe(parts['word/document.xml'])
    expect(readPictureHeader(after.get('word/media/image1.jpeg')!)).toMatchObject({ width: 320, height: 240 })
  })

  test('keeps size and position of a drawing with sharp edges and blanks its hidden part', async () => {
    const rows = new Uint8Array(320 * 240 * 3)
    for (let at = 0; at < rows.length; at++) {
      const [x, y] = [Math.floor(at / 3) % 320, Math.floor(at / 960)]
      rows[at] = x < 160 ? (((x >> 3) + (y >> 4)) % 3 === 0 ? 30 : 240) : (x * x * 7 + y * 31 + at * 13) & 255
    }
    const parts = document(drawing('rId7', 9, 9, crop('r="50000"')), [['rId7', 'media/image1.png']], {
      'word/media/image1.png': pngOf(rows, 320, 240),
    })
    const zip = await zipOf(parts)
    const { outcome, bytes, source, options } = await press(docx, zip, 'ultra', { jpg, png })
    expect(textsOf((outcome as { steps: Message[] }).steps)).toContain('1 pictures cropped to the visible area')
    const after = await partsOf(bytes)
    expect(text(after.get('word/document.xml'))).toBe(parts['word/document.xml'])
    const small = after.get('word/media/image1.png')!
    expect(small.length).toBeLessThan((parts['word/media/image1.png'] as Uint8Array).length / 20)
    const shownRows: Uint8Array[] = []
    for await (const batch of pngRows(
      (async function* () {
        yield small
      })(),
      'rgb8',
    ))
      shownRows.push(batch.rows)
    const pixels = Buffer.concat(shownRows)
    expect(pixels.length).toBe(rows.length)
    const pixel = (all: Uint8Array, x: number, y: number) => all[(y * 320 + x) * 3]!
    for (const [x, y] of [
      [0, 0],
      [159, 239],
      [80, 100],
    ] as const)
      expect(Math.abs(pixel(pixels, x, y) - pixel(rows, x, y))).toBeLessThan(12)
    for (const [x, y] of [
      [160, 0],
      [319, 239],
      [200, 100],
    ] as const)
      expect(pixel(pixels, x, y)).toBe(255)
    // A picture whose shown half is inverted must fail verification.
    const other = {
      ...Object.fromEntries(after),
      'word/media/image1.png': pngOf(
        rows.map((value, at) => (at % 960 < 480 ? 255 - value : 255)),
        320,
        240,
      ),
    }
    expect(await docx.verify(source, memorySource(await zipOf(other), 'a.docx'), outcome as never, options)).toMatchObject({ equal: false })
  })

  test('rejects a result that shows another part or another picture', async () => {
    const parts = await shownParts(drawing('rId7', 9, 9, crop('l="50000"')))
    const zip = await zipOf(parts)
    const { outcome, bytes, source, options } = await press(docx, zip, 'ultra', { jpg, png })
    const after = Object.fromEntries(await partsOf(bytes))
    expect(await docx.verify(source, memorySource(bytes, 'a.docx'), outcome, options)).toEqual({ equal: true })
    const shifted = { ...after, 'word/document.xml': text(after['word/document.xml']).replace(/<a:srcRect[^>]*>/, '<a:srcRect l="1"/>') }
    const { width, height } = readPictureHeader(after['word/media/image1.jpeg']!)!
    const other = { ...after, 'word/media/image1.jpeg': await jpegOf(photo(width, height, 7), width, height) }
    for (const wrong of [shifted, other])
      expect(await docx.verify(source, memorySource(await zipOf(wrong), 'a.docx'), outcome, options)).toMatchObject({ equal: false })
  })
})
