/** Generates a presentation with one photograph per slide, for tests that need many large pictures. */
import { JpegJob } from '../../wasm/jpeg/jpeg.ts'
import { zipOf } from './packages.ts'

/** Returns a JPEG of a synthetic photograph with noise, encoded strip by strip. */
function photograph(width: number, height: number, seed: number): Uint8Array {
  const taking = JpegJob.fromRows({ width, height, pixels: 'rgb' }, { kind: 'stream', quality: 92, trellis: false })
  const strip = new Uint8Array(width * 16 * 3)
  let noise = seed
  for (let top = 0; top < height; top += 16) {
    for (let at = 0; at < strip.length; at++) {
      const [x, y] = [Math.floor(at / 3) % width, top + Math.floor(at / 3 / width)]
      noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
      strip[at] =
        120 + 60 * Math.sin((x + seed * 97) / 90) * Math.cos(y / 70) + 20 * Math.sin(x / 7 + y / 11) + (noise >>> 29) + (at % 3) * 9
    }
    taking.write(strip.subarray(0, Math.min(16, height - top) * width * 3))
  }
  return new Uint8Array(Buffer.concat(taking.end().write('made', 'sequential', true)))
}

/** Returns a presentation with `photos` slides. Each has a photograph of `pixels` pixels, 10 inches wide. */
export async function deck(photos: number, pixels: number): Promise<Uint8Array> {
  const [width, height] = [Math.round(Math.sqrt((pixels * 4) / 3)), Math.round(Math.sqrt((pixels * 3) / 4))]
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const rels = (...rows: [type: string, target: string][]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows
      .map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`)
      .join('')}</Relationships>`
  const numbers = Array.from({ length: photos }, (_, index) => index + 1)
  const slide = `<p:sld><p:pic><p:blipFill><a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9144000" cy="6858000"/></a:xfrm></p:spPr></p:pic></p:sld>`
  return zipOf({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="jpeg" ContentType="image/jpeg"/></Types>',
    '_rels/.rels': rels(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': '<p:presentation/>',
    'ppt/_rels/presentation.xml.rels': rels(...numbers.map((number): [string, string] => ['slide', `slides/slide${number}.xml`])),
    ...Object.fromEntries(
      numbers.flatMap((number): [string, string | Uint8Array][] => [
        [`ppt/slides/slide${number}.xml`, slide],
        [`ppt/slides/_rels/slide${number}.xml.rels`, rels(['image', `../media/image${number}.jpeg`])],
        [`ppt/media/image${number}.jpeg`, photograph(width, height, number)],
      ]),
    ),
  })
}
