/** Builds a TrueType font by hand. */
import { FontWriter } from '../../../../src/core/fonts/bytes.ts'
import { fontFile } from '../../../../src/core/fonts/sfnt/truetype.ts'

const GLYPHS = 60

/** TrueType font with artificial outlines. Glyph 5 is a composite of 3 and 4; codes from 0x20 on map to glyphs from 1 on. */
export function trueType(): Uint8Array {
  const glyf = new FontWriter()
  const loca = new FontWriter()
  for (let glyph = 0; glyph < GLYPHS; glyph++) {
    loca.u32(glyf.length)
    if (glyph === 5) glyf.u16(0xffff).put(new Uint8Array(8)).u16(0x0020).u16(3).u16(0).u16(0x0000).u16(4).u16(0).pad(4)
    else if (glyph > 0)
      glyf
        .u16(1)
        .put(Uint8Array.from({ length: 80 }, (_, i) => (i * glyph * 37) & 255))
        .pad(4)
  }
  loca.u32(glyf.length)
  const head = new FontWriter().u32(0x10000).put(new Uint8Array(46)).u16(1).u16(0).done()
  const maxp = new FontWriter().u32(0x10000).u16(GLYPHS).put(new Uint8Array(26)).done()
  const hhea = new FontWriter().u32(0x10000).put(new Uint8Array(30)).u16(GLYPHS).done()
  const hmtx = new FontWriter()
  for (let glyph = 0; glyph < GLYPHS; glyph++) hmtx.u16(500 + glyph).u16(glyph)
  const cmap = new FontWriter().u16(0).u16(1).u16(1).u16(0).u32(12).u16(0).u16(262).u16(0)
  for (let code = 0; code < 256; code++) cmap.u8(code >= 32 && code < 31 + GLYPHS ? code - 31 : 0)
  return fontFile(
    new Map([
      ['head', head],
      ['maxp', maxp],
      ['hhea', hhea],
      ['hmtx', hmtx.done()],
      ['loca', loca.done()],
      ['glyf', glyf.done()],
      ['cmap', cmap.done()],
    ]),
    0x10000,
  )
}
