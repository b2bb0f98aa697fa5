import saxes from 'saxes/package.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { InventoryBuilder } from '../../../src/core/inventory/inventory.ts'
import { addPhotoshop } from '../../../src/core/inventory/iptc.ts'
import { XML_LIBRARY } from '../../../src/core/inventory/xml-library.ts'
import { addXmp } from '../../../src/core/inventory/xmp.ts'
import { photoshopBlock, photoXmp } from '../../support/picture-metadata.ts'

function itemsOf(add: (builder: InventoryBuilder) => void): { [kind: string]: string[] } {
  const builder = new InventoryBuilder()
  add(builder)
  return Object.fromEntries([...builder.build()].map(([kind, items]) => [kind, [...items.keys()]]))
}
const xmpItems = (xmp: string) => itemsOf((builder) => addXmp(builder, new TextEncoder().encode(xmp)))
const rdf = (inner: string) => `<rdf:RDF xmlns:rdf="r">${inner}</rdf:RDF>`

describe('inventory of XMP', () => {
  it('lists properties of attributes and elements with their structure', () => {
    expect(itemsOf((builder) => addXmp(builder, photoXmp()))).toEqual({
      xmp_properties: ['xmp:Rating = 4', 'dc:title = [x-default: Sea; de: Meer]', 'xmp:Place = xmp:City = Riga'],
    })
  })

  it('replaces a long value with a digest', () => {
    const property = rdf(`<rdf:Description><GDepth:Data>${'QUJD'.repeat(5000)}</GDepth:Data></rdf:Description>`)
    expect(xmpItems(property)).toEqual({ xmp_properties: [expect.stringMatching(/^GDepth:Data = 20000 characters #[0-9a-f]{16}$/)] })
  })

  it('counts a gain map of Ultra HDR as a further picture', () => {
    expect(xmpItems(rdf('<rdf:Description hdrgm:Version="1.0"/>'))).toEqual({
      xmp_properties: ['hdrgm:Version = 1.0'],
      further_pictures: ['gain map announced by XMP'],
    })
  })

  it('counts a packet that is no XML, or nested too deeply, as one item', () => {
    const unreadable = { xmp_properties: [expect.stringMatching(/^unreadable XMP = /)] }
    expect(xmpItems(rdf('<rdf:Description>'))).toEqual(unreadable)
    expect(xmpItems('<a>'.repeat(1000) + '</a>'.repeat(1000))).toEqual(unreadable)
    expect(xmpItems('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')).toEqual(unreadable)
  })

  it('names the installed version of the parser', () => expect(XML_LIBRARY).toBe(`saxes ${saxes.version}`))
})

describe('inventory of IPTC', () => {
  it('joins data sets of one name, and digests other resources', () => {
    expect(itemsOf((builder) => addPhotoshop(builder, photoshopBlock()))).toEqual({
      iptc_fields: ['Headline = Storm', 'Keywords = sea; wind', expect.stringMatching(/^Photoshop 0x040b = 19 bytes #/)],
    })
  })

  it('reads a block that is cut anywhere', () => {
    const block = photoshopBlock()
    for (let length = 0; length < block.length; length++) itemsOf((builder) => addPhotoshop(builder, block.subarray(0, length)))
  })
})
