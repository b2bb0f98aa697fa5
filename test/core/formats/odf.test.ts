/** OpenDocument packages: pictures, manifest, metadata, signed and encrypted documents. */
import { describe, expect, it } from 'vitest'
import { openZip } from '../../../src/core/containers/zip/read.ts'
import { epub } from '../../../src/core/formats/epub/epub.ts'
import { odp, ods, odt } from '../../../src/core/formats/odf/odf.ts'
import { displayedSizes } from '../../../src/core/formats/odf/shown.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { InnerResult } from '../../../src/core/model/codec.ts'
import { lossOf, pixelLoss } from '../../../src/core/model/loss.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { jpegOf, mockInner, type Parts, partsOf, photo, pngOf, press, text, zipOf } from '../../support/packages.ts'
import { textDocument } from '../inventory/books.ts'

const loose = await jpegOf(photo(320, 240), 320, 240, 98)
const tight = await jpegOf(photo(320, 240), 320, 240, 70)
const tightening = mockInner((): InnerResult => {
  const outcome = { kind: 'compressed' as const, ...lossOf(pixelLoss({ ssim: 0.97, psnrDb: 37 })), steps: [message('exact')] }
  return { kind: 'compressed', bytes: tight, output: 'jpg', outcome }
})
const TYPE = 'application/vnd.oasis.opendocument'
const filler = `<d>${'<p>filler</p>'.repeat(200)}</d>`
const document = (parts: Parts = {}): Parts => ({
  mimetype: `${TYPE}.text`,
  'content.xml': filler,
  'Pictures/a.jpg': loose,
  'META-INF/manifest.xml': `<manifest:manifest><manifest:file-entry manifest:full-path="Pictures/a.jpg" manifest:media-type="image/jpeg"/></manifest:manifest>`,
  ...parts,
})

describe('packages', () => {
  it('stores mimetype first, at offset 38, wherever it was', async () => {
    const { mimetype, ...rest } = document()
    const { outcome, bytes } = await press(odt, await zipOf({ ...rest, mimetype: mimetype! }), 'medium', tightening)
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: { ssim: 0.97 } } })
    expect(Buffer.from(bytes.subarray(30, 38 + 39)).toString()).toBe(`mimetype${TYPE}.text`)
    const after = await partsOf(bytes)
    expect(after.get('Pictures/a.jpg')).toEqual(tight)
    expect(text(after.get('content.xml'))).toBe(filler)
  })

  it('may lack a mimetype', async () => {
    const { mimetype: _, ...rest } = document()
    expect((await press(ods, await zipOf(rest), 'medium', tightening)).outcome.kind).toBe('compressed')
  })

  it('keep every byte of every file if signed, also by macros', async () => {
    for (const name of ['META-INF/documentsignatures.xml', 'META-INF/macrosignatures.xml']) {
      const parts = document({ [name]: '<document-signatures/>' })
      const { outcome, bytes } = await press(odt, await zipOf(parts), 'low', tightening)
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      const after = await partsOf(bytes)
      for (const [part, content] of Object.entries(parts))
        expect(after.get(part), part).toEqual(typeof content === 'string' ? new TextEncoder().encode(content) : content)
    }
  })

  it('stay unchanged if encrypted', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    const { outcome } = await press(odt, await zipOf(document({ 'META-INF/manifest.xml': manifest })), 'low', tightening)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'encrypted', detail: { code: 'document_under_password' } })
  })

  it('stay unchanged if the manifest cannot be read', async () => {
    const { outcome } = await press(odt, await zipOf(document({ 'META-INF/manifest.xml': '<manifest' })), 'low', tightening)
    expect(outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'manifest_unreadable' } })
  })

  it('with a name that leads outside are malformed', async () => {
    const { outcome } = await press(odt, await zipOf(document({ '../a.xml': filler })), 'low', tightening)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })
})

describe('displayed sizes', () => {
  const sizesOf = async (content: string, styles = '<s/>') => {
    const parts = { 'content.xml': `<d>${content}</d>`, 'styles.xml': styles, 'Pictures/a.jpg': loose }
    const shown = await displayedSizes(await openZip(memorySource(await zipOf(parts), 'a.odt')))
    return [...shown.values()].map(({ widthInches, heightInches }) => [widthInches, heightInches])
  }
  const frame = (attributes: string, image = '<draw:image xlink:href="Pictures/a.jpg"/>') =>
    `<draw:frame ${attributes}>${image}</draw:frame>`
  const style = (name: string, more: string) => `<style:style style:name="${name}" ${more}</style:style>`

  it.each([
    ['centimetres', frame('svg:width="5.08cm" svg:height="2.54cm"'), [[2, 1]]],
    ['points and pixels', frame('svg:width="144pt" svg:height="96px"'), [[2, 1]]],
    ['the largest of two frames', frame('svg:width="1in" svg:height="3in"') + frame('svg:width="2in" svg:height="1in"'), [[2, 3]]],
    [
      'a frame in a text box',
      frame('svg:width="9in" svg:height="9in"', `<draw:text-box>${frame('svg:width="2in" svg:height="1in"')}</draw:text-box>`),
      [[2, 1]],
    ],
    ['a rotated frame', frame('svg:width="2in" svg:height="1in" draw:transform="rotate (1.57) translate (1cm 2cm)"'), [[2, 1]]],
    ['a scaled frame', frame('svg:width="2in" svg:height="1in" draw:transform="scale (3 3)"'), []],
    ['a share of the page', frame('svg:width="2in" svg:height="1in" style:rel-width="50%"'), []],
    ['no height', frame('svg:width="2in"'), []],
    ['an unknown unit', frame('svg:width="2km" svg:height="1in"'), []],
    ['a background', '<style:background-image xlink:href="Pictures/a.jpg"/>', []],
    ['a frame and a fill', `${frame('svg:width="2in" svg:height="1in"')}<draw:fill-image xlink:href="./Pictures/a.jpg"/>`, []],
    ['an image outside of frames', '<draw:image xlink:href="Pictures/a.jpg"/>', []],
  ])('%s', async (_, content, sizes) => {
    expect(await sizesOf(content)).toEqual(sizes)
  })

  it.each([
    ['a crop', 'rect(0.1cm, 0cm, 0cm, 0cm)', []],
    ['no crop', 'rect(0cm, 0cm, 0cm, 0cm)', [[2, 1]]],
    ['an automatic crop', 'auto', [[2, 1]]],
    ['an unreadable crop', 'circle(1cm)', []],
  ])('%s in an inherited style', async (_, clip, sizes) => {
    const styles = `<s>${style('parent', `><style:graphic-properties fo:clip="${clip}"/>`)}</s>`
    const content = style('fr1', 'style:parent-style-name="parent">') + frame('draw:style-name="fr1" svg:width="2in" svg:height="1in"')
    expect(await sizesOf(content, styles)).toEqual(sizes)
  })

  it('are unknown if a style inherits from itself and crops, or if frames are nested too deep', async () => {
    const own = style('fr1', 'style:parent-style-name="fr1"><style:graphic-properties fo:clip="rect(1cm,0cm,0cm,0cm)"/>')
    expect(await sizesOf(own + frame('draw:style-name="fr1" svg:width="2in" svg:height="1in"'))).toEqual([])
    expect(await sizesOf('<draw:frame>'.repeat(5000))).toEqual([])
  })

  it('are unknown in texts that are no XML', async () => {
    expect(await sizesOf(frame('svg:width="2in" svg:height="1in"'), '<s')).toEqual([])
  })
})

describe('photographs stored as PNG', () => {
  const pixels = photo(180, 135, 3)
  const photograph = pngOf(pixels, 180, 135)
  /** Codecs that only make JPEGs. */
  const asJpeg = mockInner(async (_bytes, _name, { output }): Promise<InnerResult> => {
    if (output !== 'jpg') return { kind: 'unchanged', reason: 'no_gain' }
    const outcome = { kind: 'compressed' as const, ...lossOf(pixelLoss({ ssim: 0.97, psnrDb: 37 })), steps: [message('exact')] }
    return { kind: 'compressed', bytes: await jpegOf(pixels, 180, 135, 75), output: 'jpg', outcome }
  })
  const item = (path: string) => `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="image/png"/>`
  const image = (more = '') => `<draw:image xlink:href="Pictures/a.png"${more}/>`
  const withPng = (content: string): Parts => ({
    mimetype: `${TYPE}.presentation`,
    'META-INF/manifest.xml': `<manifest:manifest>${item('Pictures/a.png')}${item('Thumbnails/thumbnail.png')}</manifest:manifest>`,
    'content.xml': `<d>${content}${filler}</d>`,
    'Pictures/a.png': photograph,
    'Thumbnails/thumbnail.png': photograph,
  })

  it('become JPEG with all references to them; the preview stays a PNG', async () => {
    const { outcome, bytes } = await press(odp, await zipOf(withPng(image() + image(' draw:mime-type="image/png"'))), 'medium', asJpeg)
    expect(outcome).toMatchObject({ kind: 'compressed' })
    const after = await partsOf(bytes)
    expect([...after.keys()]).toContain('Pictures/a.jpg')
    expect(text(after.get('content.xml'))).toContain(
      '<draw:image xlink:href="Pictures/a.jpg"/><draw:image xlink:href="Pictures/a.jpg" draw:mime-type="image/jpeg"/>',
    )
    expect(text(after.get('META-INF/manifest.xml'))).toBe(
      `<manifest:manifest>${item('Pictures/a.jpg').replace('image/png', 'image/jpeg')}${item('Thumbnails/thumbnail.png')}</manifest:manifest>`,
    )
    expect(after.get('Thumbnails/thumbnail.png')?.subarray(1, 4)).toEqual(new TextEncoder().encode('PNG'))
  })

  it('keep their format if a macro names them, or if the type of a reference is another one', async () => {
    const named = { ...withPng(image()), 'Basic/Standard/M.xml': '<m>open "a.png"</m>' }
    for (const parts of [named, withPng(image(' draw:mime-type="image/gif"'))])
      expect([...(await partsOf((await press(odp, await zipOf(parts), 'medium', asJpeg)).bytes)).keys()]).toContain('Pictures/a.png')
  })

  it('keep their format if a tag of a book refers to them twice', async () => {
    const book = {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container/>',
      'a.opf': '<package><item href="a.png" src="a.png" media-type="image/png"/></package>',
      'a.png': photograph,
      'b.xhtml': filler,
    }
    const { outcome, bytes } = await press(epub, await zipOf(book), 'medium', asJpeg)
    expect(outcome.kind).toBe('compressed')
    expect([...(await partsOf(bytes)).keys()]).toContain('a.png')
  })
})

describe('metadata', () => {
  const pressed = async (parts: Parts, metadata: 'safe' | 'strip') => {
    const bytes = await zipOf(parts)
    const sink = memorySink(bytes.length, 'a.odt')
    const { outcome, result } = await openJob(odt, memorySource(bytes, 'a.odt'), { png }, { metadata }).whole(async () => sink)
    return { outcome, parts: result ? await partsOf(sink.bytes()) : undefined }
  }

  it.each([
    ['safe', true],
    ['strip', false],
  ] as const)('%s removes authors, statistics and the preview', async (mode, keepsRights) => {
    const { outcome, parts } = await pressed(textDocument(), mode)
    expect(outcome).toMatchObject({ kind: 'compressed', metadata: mode })
    expect(outcome).toHaveProperty(
      'removed',
      expect.arrayContaining([{ kind: 'properties', count: keepsRights ? 3 : 4, why: 'as_requested' }]),
    )
    const meta = text(parts?.get('meta.xml'))
    expect(meta).toContain('<meta:generator>Writer/1</meta:generator><dc:title>Tales</dc:title>')
    expect(meta).not.toMatch(/Bob|dc:creator>|statistic/)
    expect(meta.includes('Copyright')).toBe(keepsRights)
    expect([...(parts?.keys() ?? [])].filter((name) => name.startsWith('Thumbnails/'))).toEqual([])
    expect(text(parts?.get('META-INF/manifest.xml'))).not.toContain('Thumbnails')
    expect(text(parts?.get('content.xml'))).toContain('<dc:creator>Ann</dc:creator>')
  })

  it('of a signed document stays, and the receipt says so', async () => {
    const { outcome } = await pressed({ ...textDocument(), 'META-INF/documentsignatures.xml': '<s/>' }, 'strip')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'signed', detail: { code: 'metadata_still_there_because' } })
  })

  it('that is no XML is replaced', async () => {
    const { parts } = await pressed({ ...textDocument(), 'meta.xml': '<meta' }, 'strip')
    expect(text(parts?.get('meta.xml'))).toContain('<office:meta/>')
  })
})

describe('recognised by bytes', () => {
  it.each([
    ['text', 'odt'],
    ['text-template', 'odt'],
    ['text-master', 'odt'],
    ['spreadsheet-template', 'ods'],
    ['presentation', 'odp'],
    ['graphics-template', 'odg'],
  ])('%s', async (kind, id) => {
    const bytes = await zipOf({ mimetype: `${TYPE}.${kind}`, 'content.xml': filler })
    expect((await identify(memorySource(bytes, 'a.bin')))?.id).toBe(id)
  })

  it('or by the name, if the package has no mimetype', async () => {
    const bytes = await zipOf({ 'content.xml': filler, 'META-INF/manifest.xml': '<m/>' })
    expect((await identify(memorySource(bytes, 'a.ots')))?.id).toBe('ods')
  })

  it('flat XML is text', async () => {
    const flat = new TextEncoder().encode(
      `<?xml version="1.0"?><office:document office:mimetype="${TYPE}.text">${filler}</office:document>`,
    )
    expect((await identify(memorySource(flat, 'a.fodt')))?.id).toBe('text')
  })
})
