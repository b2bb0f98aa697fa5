/** Reads XML with saxes. Errors that do not hide content are ignored, because drawings with them are common. */
import { type SaxesAttributeNS, SaxesParser } from 'saxes'
import { YieldBudget } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'

interface XmlAttribute {
  /** Namespace URI. Empty: none. */
  readonly uri: string
  readonly local: string
  readonly value: string
}

export interface XmlElement {
  /** Namespace URI. Empty: none. */
  readonly uri: string
  readonly local: string
  readonly attributes: readonly XmlAttribute[]
}

/** Receives the content of a document in order. */
export interface XmlHandlers {
  open(element: XmlElement): void
  close(): void
  text?(text: string): void
  comment?(text: string): void
  instruction?(target: string, body: string): void
}

const MAX_DEPTH = 1024
const MAX_ATTRIBUTES = 4096
/** Most characters that all references to declared entities may add. */
const MAX_EXPANSION_CHARACTERS = 1024 * 1024
/** Characters that are parsed before other events of the isolate run. */
const CHARACTERS_PER_TURN = 1024 * 1024

/** Messages of saxes after which elements or attributes may be missing. Other messages concern rules that change no content. */
const STRUCTURAL =
  /^(?:unclosed tag|unexpected (?:end|close tag)|unmatched closing tag|weird empty close tag|documents? (?:must contain a root|may contain only one root)|disallowed character in (?:tag name|attribute name|closing tag|entity name)|attribute without value|unquoted attribute value|forward-slash in opening tag|undefined entity|empty entity name)/

/**
 * Parses a document.
 * @throws CodecError `malformed` if tags do not match, `over_budget` if it is nested too deeply or its entities expand too much
 */
export async function readXml(chunks: AsyncIterable<string>, handlers: XmlHandlers, signal: AbortSignal): Promise<void> {
  const parser = new SaxesParser({ xmlns: true, position: false })
  let [depth, attributes] = [0, 0]
  parser.on('error', ({ message: problem }) => {
    if (STRUCTURAL.test(problem)) throw malformed('svg', 0, message('engine_reports', { problem }))
  })
  parser.on('doctype', (doctype) => declareEntities(parser, doctype))
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw overBudget(message('element_with_attributes', { count: attributes }))
  })
  parser.on('opentag', (tag) => {
    if (++depth > MAX_DEPTH) throw overBudget(message('elements_nested_deeper', { limit: MAX_DEPTH }))
    handlers.open({ uri: tag.uri, local: tag.local, attributes: Object.values<SaxesAttributeNS>(tag.attributes) })
  })
  parser.on('closetag', () => {
    depth--
    handlers.close()
  })
  if (handlers.text) {
    parser.on('text', (text) => handlers.text?.(text))
    parser.on('cdata', (text) => handlers.text?.(text))
  }
  if (handlers.comment) parser.on('comment', (text) => handlers.comment?.(text))
  if (handlers.instruction) parser.on('processinginstruction', ({ target, body }) => handlers.instruction?.(target, body))
  const breath = new YieldBudget(CHARACTERS_PER_TURN, signal)
  for await (const chunk of chunks) {
    parser.write(chunk)
    await breath.after(chunk.length)
  }
  parser.close()
}

/** Declares the internal entities of a DOCTYPE (XML 1.0, 4.2.1). Each reference counts towards the limit of expanded characters. */
function declareEntities(parser: SaxesParser<{ xmlns: true; position: false }>, doctype: string): void {
  let expanded = 0
  for (const [, name = '', double, single] of doctype.matchAll(/<!ENTITY\s+([^\s%"'<>]+)\s+(?:"([^"]*)"|'([^']*)')/g)) {
    const value = double ?? single ?? ''
    Object.defineProperty(parser.ENTITIES, name, {
      configurable: true,
      get() {
        expanded += value.length
        if (expanded > MAX_EXPANSION_CHARACTERS) throw overBudget(message('entities_expand_to_characters', { characters: expanded }))
        return value
      },
    })
  }
}
