/** XMP metadata of a document (ISO 16684-1): properties by name, and claims of conformance such as PDF/A. */
import { SaxesParser, type SaxesTagNS } from 'saxes'
import type { ItemCollector } from '../collector.ts'
import { digestOf } from '../digest.ts'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const XML = 'http://www.w3.org/XML/1998/namespace'
const XMLNS = 'http://www.w3.org/2000/xmlns/'
const MAX_LEVELS = 100
/** Level of `rdf:li`: description, property, `rdf:Alt`, `rdf:li`. */
const LANGUAGE_LEVEL = 4
/** Schemas in which a document claims to conform to PDF/A, PDF/UA, PDF/X or PDF/VT. */
const CLAIM =
  /^(http:\/\/www\.aiim\.org\/pdf(a|ua)\/|http:\/\/www\.npes\.org\/pdfx\/|http:\/\/ns\.adobe\.com\/pdfx\/|http:\/\/www\.npes\.org\/pdfvt\/)/

/** Adds the properties of an XMP packet. One that is no well-formed XML counts by its digest. */
export function addXmp(items: ItemCollector, packet: Uint8Array): void {
  const properties = propertiesOf(textOf(packet))
  if (!properties) items.add('xmp_properties', `packet = ${packet.length} bytes #${digestOf(packet)}`)
  for (const { namespace, name, text } of properties ?? [])
    items.add(CLAIM.test(namespace) ? 'claims' : 'xmp_properties', `${name} = ${text}`)
}

interface Property {
  readonly namespace: string
  /** Prefix and local name. */
  readonly name: string
  text: string
}

/** Packets are UTF-8, or UTF-16 with a byte order mark. */
function textOf(packet: Uint8Array): string {
  const [first, second] = packet
  const encoding = first === 0xfe && second === 0xff ? 'utf-16be' : first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
  return new TextDecoder(encoding).decode(packet)
}

/** Returns the properties of all descriptions. `undefined`: the text is no well-formed XML. */
function propertiesOf(text: string): Property[] | undefined {
  const collector = new Collector()
  const parser = new SaxesParser({ xmlns: true })
  const stop = () => {
    throw new DamagedPacket()
  }
  parser.on('error', stop)
  parser.on('doctype', stop)
  parser.on('opentag', (tag) => collector.open(tag))
  parser.on('text', (part) => collector.text(part))
  parser.on('closetag', () => collector.close())
  try {
    parser.write(withoutPadding(text)).close()
  } catch (error) {
    if (!(error instanceof DamagedPacket)) throw error
    return undefined
  }
  return collector.properties
}

/** Error that ends the parse at the first mistake of a packet. */
class DamagedPacket extends Error {}

/** Some writers pad the packet with zero bytes. */
function withoutPadding(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) <= SPACE) end--
  return text.slice(0, end)
}

const SPACE = 32

/** Follows the elements of a packet. A property is an attribute or a child of `rdf:Description` at the top of `rdf:RDF`. */
class Collector {
  readonly properties: Property[] = []
  /** Level inside the top description: 0 outside, 1 in it, 2 in a property. */
  #level = 0

  open(tag: SaxesTagNS): void {
    const isTop = this.#level === 0 && tag.uri === RDF && tag.local === 'Description'
    if (this.#level === 0 && !isTop) {
      return
    }
    this.#level++
    if (this.#level > MAX_LEVELS) throw new DamagedPacket()
    const attributes = Object.values(tag.attributes).filter(({ uri }) => uri !== XMLNS)
    if (isTop) {
      for (const { uri, prefix, local, value } of attributes) {
        const isProperty = uri === RDF ? local === 'about' && value !== '' : uri !== XML && uri !== ''
        const isRepeated = uri === RDF && this.properties.some(({ namespace }) => namespace === RDF)
        if (isProperty && !isRepeated) this.properties.push({ namespace: uri, name: `${prefix}:${local}`, text: value.trim() })
      }
      return
    }
    if (this.#level === 2) this.properties.push({ namespace: tag.uri, name: tag.name, text: '' })
    const property = this.#level > 2 ? this.#languageOf(tag) : this.properties.at(-1)!
    if (this.#level > 2) property.text += `<${tag.local}`
    for (const { name, value } of attributes.sort((a, b) => (a.name < b.name ? -1 : 1))) property.text += ` ${name}="${value}"`
    if (this.#level > 2) property.text += '>'
  }

  /** Texts in further languages are properties of their own. */
  #languageOf(tag: SaxesTagNS): Property {
    const property = this.properties.at(-1)!
    const language = tag.attributes['xml:lang']?.value
    if (this.#level !== LANGUAGE_LEVEL || language === undefined || language === 'x-default') return property
    const further = { namespace: property.namespace, name: `${property.name.replace(/ .*/, '')} ${language}`, text: '' }
    this.properties.push(further)
    return further
  }

  text(part: string): void {
    if (this.#level >= 2) this.properties.at(-1)!.text += part.trim() === '' ? ' ' : part
  }

  close(): void {
    if (this.#level > 0) this.#level--
  }
}
