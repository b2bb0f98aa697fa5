/** Reduces XMP packets to the properties that the option `metadata` keeps. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { keepsXmpProperty, type RemovingMode } from '../../catalog/metadata.ts'
import { escapeXml, scanTags, type Tag } from '../xml/scan.ts'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** True if a property stays. `name`: qualified name as the packet writes it. */
type KeepsProperty = (name: string) => boolean

/** Returns the XMP packet of a picture with only the properties that `mode` keeps. See `xmpWith`. */
export const reducedXmp = (packet: string, mode: RemovingMode): string | undefined =>
  xmpWith(packet, (name) => keepsXmpProperty(mode, name))

/**
 * Returns an XMP packet with only the properties that `keeps` accepts. `undefined`: none of them exists, or the packet cannot be read.
 * Kept properties are copied as text, with the namespace declarations that they use.
 */
export function xmpWith(packet: string, keeps: KeepsProperty): string | undefined {
  try {
    const { elements, attributes, namespaces } = keptParts(packet, keeps)
    if (elements.length === 0 && attributes.length === 0) return undefined
    const written = attributes.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('')
    const content = `${written}${elements.join('')}`
    const isUsed = (name: string) => !name.startsWith('xmlns:') || content.includes(`${name.slice('xmlns:'.length)}:`)
    const declared = [...new Map([...namespaces].filter(([name]) => isUsed(name))).set('xmlns:rdf', RDF)]
      .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
      .join('')
    return (
      '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
      `<rdf:RDF${declared}><rdf:Description rdf:about=""${written}>${elements.join('')}</rdf:Description></rdf:RDF></x:xmpmeta>` +
      '<?xpacket end="r"?>'
    )
  } catch (error) {
    if (!isEngineError(error)) throw error
    return undefined
  }
}

interface KeptParts {
  /** Text of each kept property element. */
  readonly elements: string[]
  /** Kept properties that are attributes of `rdf:Description`. */
  readonly attributes: (readonly [name: string, value: string])[]
  /** Namespace declarations of the packet: attribute name and address. */
  readonly namespaces: Map<string, string>
}

function keptParts(packet: string, keeps: KeepsProperty): KeptParts {
  const parts: KeptParts = { elements: [], attributes: [], namespaces: new Map() }
  const open: Tag[] = []
  for (const tag of scanTags(packet)) {
    if (tag.kind === 'close') {
      const opened = open.pop()
      if (opened && isProperty(open) && keeps(opened.name)) parts.elements.push(packet.slice(opened.start, tag.end))
      continue
    }
    for (const { name, value } of tag.attributes()) {
      if (name.startsWith('xmlns')) parts.namespaces.set(name, value)
      else if (tag.name === 'rdf:Description' && isDescription(open) && keeps(name)) parts.attributes.push([name, value])
    }
    if (tag.kind === 'open') open.push(tag)
    else if (isProperty(open) && keeps(tag.name)) parts.elements.push(packet.slice(tag.start, tag.end))
  }
  return parts
}

/** True if the next tag is a property: a child of `rdf:Description` in `rdf:RDF`. */
const isProperty = (open: readonly Tag[]) => open.at(-1)?.name === 'rdf:Description' && isDescription(open.slice(0, -1))
const isDescription = (open: readonly Tag[]) => open.at(-1)?.name === 'rdf:RDF'
