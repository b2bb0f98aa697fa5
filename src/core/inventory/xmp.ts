/** Inventory of XMP packets (ISO 16684-1): one item per property, its structure in one line. */
import { SaxesParser } from 'saxes'
import { digestOf } from './digest.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Longest packet that is parsed, in bytes; a longer one is one item with a digest. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_DEPTH = 100
/** Longest value in characters; a longer one is replaced with a digest, so that nested values do not add up. */
const MOST_VALUE_CHARACTERS = 4096
/** Bytes that the parser takes at once. */
const PIECE_BYTES = 64 * 1024

/** Attributes of RDF and XML that are no properties. `xml:lang` belongs to the value. */
const SYNTAX = /^(?:xmlns(?::.*)?|rdf:(?:about|ID|parseType|nodeID|datatype|resource)|xml:lang)$/
const LISTS: ReadonlySet<string> = new Set(['rdf:Bag', 'rdf:Seq', 'rdf:Alt'])
/** Properties that describe the packet or how pixels are stored, and digests of them. */
const OF_ENCODING =
  /^(?:xmpNote:HasExtendedXMP|(?:tiff|exif):(?:ImageWidth|ImageLength|BitsPerSample|Compression|PhotometricInterpretation|SamplesPerPixel|PlanarConfiguration|YCbCr\w+|NativeDigest|Pixel[XY]Dimension|ComponentsConfiguration)) = /

interface Node {
  readonly name: string
  readonly lead: string
  text: string
  readonly parts: string[]
}

/**
 * Adds the properties of a packet. A packet that is no well-formed XML becomes one item. A property of Ultra HDR's gain map
 * (`hdrgm`) also counts as a further picture.
 */
export function addXmp(builder: InventoryBuilder, packet: Uint8Array): void {
  if (packet.every((byte) => byte === 0 || byte === 0x20 || byte === 0x0a || byte === 0x0d)) return
  const properties = packet.length > MOST_BYTES ? undefined : propertiesOf(packet)
  if (!properties) {
    builder.addBytes('xmp_properties', 'unreadable XMP', packet)
    return
  }
  for (const property of properties) builder.add('xmp_properties', property)
  if (properties.some((property) => /^hdrgm:|GainMap/.test(property))) builder.add('further_pictures', 'gain map announced by XMP')
}

/** Returns `name = value` of each property. `undefined`: the packet is no well-formed XML, or too deep. */
function propertiesOf(packet: Uint8Array): string[] | undefined {
  const properties: string[] = []
  const open: Node[] = []
  let isBroken = false
  const parser = new SaxesParser({ xmlns: false, position: false })
  parser.on('error', () => {
    isBroken = true
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= MOST_DEPTH) isBroken = true
    const isDescription = name === 'rdf:Description' && open.at(-1)?.name === 'rdf:RDF'
    const found = Object.entries(attributes).filter(([key]) => !SYNTAX.test(key))
    const own = found.map(([key, value]) => `${key} = ${shortValue(value)}`)
    if (isDescription) for (const property of own) addProperty(properties, property)
    const lead = (attributes['xml:lang'] ? `${attributes['xml:lang']}: ` : '') + (attributes['rdf:resource'] ?? '')
    open.push({ name, lead, text: '', parts: isDescription || isAround(name) ? [] : own })
  })
  const addText = (text: string) => {
    const node = open.at(-1)
    if (node) node.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const node = open.pop()!
    const parent = open.at(-1)
    if (isAround(node.name) || !parent || isAround(parent.name)) return
    const value = shortValue(textOf(node))
    if (isProperty(open)) addProperty(properties, `${node.name} = ${value}`)
    else parent.parts.push(isValueOnly(node.name) ? value : `${node.name} = ${value}`)
  })
  try {
    const decoder = new TextDecoder(encodingOf(packet))
    for (let at = 0; at < packet.length && !isBroken; at += PIECE_BYTES) {
      const text = decoder.decode(packet.subarray(at, at + PIECE_BYTES), { stream: true })
      parser.write(at === 0 ? text.trimStart() : text.replaceAll('\0', ' '))
    }
    if (!isBroken) parser.close()
  } catch {
    return undefined // saxes throws after an error that it has reported
  }
  return isBroken ? undefined : properties
}

/** True for the elements around all descriptions. */
const isAround = (name: string) => name === 'x:xmpmeta' || name === 'x:xapmeta' || name === 'rdf:RDF'
/** True if the element that was closed inside of `open` is a property of the picture, not a part of one. */
const isProperty = (open: readonly Node[]) => open.at(-1)?.name === 'rdf:Description' && open.at(-2)?.name === 'rdf:RDF'
const isValueOnly = (name: string) => LISTS.has(name) || name === 'rdf:li' || name === 'rdf:Description' || name === 'rdf:value'

function addProperty(properties: string[], property: string): void {
  if (!OF_ENCODING.test(property)) properties.push(property)
}

function textOf({ name, lead, text, parts }: Node): string {
  if (LISTS.has(name)) return `[${parts.join('; ')}]`
  const inner = parts.length > 1 ? `{${parts.join(', ')}}` : (parts[0] ?? text.trim())
  return lead + inner
}

const shortValue = (text: string) =>
  text.length <= MOST_VALUE_CHARACTERS ? text : `${text.length} characters #${digestOf(new TextEncoder().encode(text))}`

/** Encoding by byte order mark or zero bytes; UTF-8 otherwise (ISO 16684-1, 7.3.2). */
function encodingOf([first = 0, second = 0]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be'
  return 'utf-8'
}
