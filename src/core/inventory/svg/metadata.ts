/** Adds the values inside of `metadata` elements: RDF, Dublin Core, licences and other XML. */
import type { ItemCollector } from '../collector.ts'
import type { XmlElement } from './xml.ts'

/** Text of an element before the first element in it. */
export interface MetadataLeaf {
  text: string
  hasElements: boolean
}

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
/** Namespaces whose attributes are no properties of the drawing: XML, namespace declarations and links. */
const TECHNICAL = /^(?:http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/|1999\/xlink)|)$/

/** Adds an element that contains no other elements as `name = value`, and the properties that RDF writes as attributes. */
export function addMetadata({ local, attributes }: XmlElement, { text, hasElements }: MetadataLeaf, items: ItemCollector): void {
  const value = text.trim()
  const target = attributes.find(({ local: name, value: link }) => (name === 'resource' || name === 'about') && link !== '')?.value
  if (value !== '') items.add('metadata', `${local} = ${value}`)
  else if (!hasElements && target !== undefined) items.add('metadata', `${local} = ${target}`)
  for (const { uri, local: name, value: property } of attributes)
    if (property !== '' && uri !== RDF && !TECHNICAL.test(uri)) items.add('metadata', `${name} = ${property}`)
}
