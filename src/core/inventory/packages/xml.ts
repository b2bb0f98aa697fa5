/** Reads XML parts as a stream with saxes. Codecs scan XML with code of their own. */
import { SaxesParser } from 'saxes'
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { Digest } from '../digest.ts'

/** Element of an XML part. */
export interface XmlElement {
  /** Name with its namespace prefix. */
  readonly name: string
  /** Name without its namespace prefix. */
  readonly local: string
  readonly attributes: Readonly<Record<string, string>>
  /** `undefined`: the root element. */
  readonly parent: XmlElement | undefined
}

/** Receives the text of an element and its descendants when the element ends. White space is collapsed. */
export type TextReceiver = (text: string) => void

/** Reads the elements of one part. */
export interface XmlVisitor {
  /** Called for each start tag. Returns a receiver if it needs the element's text. */
  open(element: XmlElement): TextReceiver | undefined
  /** Removes from a text of whole tags what a result may change. `undefined`: nothing may change. */
  readonly comparedText?: (text: string) => string
}

/** A part with more than one of these limits is not read as XML: nested elements, characters of one tag or text, errors. */
const [MAX_DEPTH, MAX_TOKEN_CHARACTERS, MAX_ERRORS] = [256, 4 * 1024 * 1024, 200]
/** Most elements whose text is collected at the same time. */
const MAX_COLLECTORS = 16
/** Most characters of a collected text. The digest of the part covers the rest. */
const MAX_TEXT_CHARACTERS = 64 * 1024
/** Characters that the parser gets at once. Longer tags and texts count for `MAX_TOKEN_CHARACTERS`. */
const BATCH_CHARACTERS = 16 * 1024

interface Collector {
  readonly depth: number
  readonly receive: TextReceiver
  text: string
}

/** The part is no XML, or exceeds a limit. */
class UnreadableXml extends Error {}

/** Parses one part, chunk by chunk. */
export class XmlPart {
  readonly #parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false })
  readonly #visitor: XmlVisitor
  readonly #digest = new Digest()
  #decoder: TextDecoder | undefined
  #head: Uint8Array = new Uint8Array(0)
  /** Text behind the last whole tag, which the digest does not have yet. */
  #undigested = ''
  #element: XmlElement | undefined
  #depth = 0
  /** Characters since the last tag. */
  #charactersOfToken = 0
  #charactersOfLongTokens = 0
  #collectors: Collector[] = []
  #isReadable = true
  #errors = 0
  /** Local name of the root element. Empty: none yet. */
  root = ''

  constructor(visitor: XmlVisitor) {
    this.#visitor = visitor
    this.#parser.on('opentag', (tag) => this.#open(tag.name, tag.attributes))
    this.#parser.on('closetag', () => this.#close())
    // After an error, saxes goes on with the next characters, so that texts that are not well-formed are read, too.
    this.#parser.on('error', () => {
      if (++this.#errors > MAX_ERRORS) throw new UnreadableXml('too many errors')
    })
  }

  /** Parses the next bytes. After an error it does nothing. */
  write(chunk: Uint8Array): void {
    if (!this.#isReadable) return
    if (this.#decoder) this.#feed(this.#decoder.decode(chunk, { stream: true }))
    else {
      this.#head = concat([this.#head, chunk])
      if (this.#head.length >= DECLARATION_BYTES) this.#begin()
    }
  }

  /** Ends the part. Returns the digest of its content. `undefined`: it is no XML, or exceeds a limit. */
  end(): string | undefined {
    if (this.#isReadable && !this.#decoder) this.#begin()
    if (this.#isReadable) this.#feed(this.#decoder?.decode() ?? '')
    if (this.#isReadable) this.#guarded(() => this.#parser.close())
    if (!this.#isReadable || this.root === '') return undefined
    this.#addToDigest(this.#undigested)
    return this.#digest.finish()
  }

  #begin(): void {
    this.#decoder = new TextDecoder(encodingOf(this.#head))
    this.#feed(this.#decoder.decode(this.#head, { stream: true }))
  }

  #feed(text: string): void {
    for (let at = 0; at < text.length && this.#isReadable; at += BATCH_CHARACTERS) {
      const batch = text.slice(at, at + BATCH_CHARACTERS)
      this.#charactersOfToken += batch.length
      this.#guarded(() => this.#parser.write(batch))
      if (this.#charactersOfToken > MAX_TOKEN_CHARACTERS) this.#isReadable = false
    }
    this.#undigested += text
    if (this.#undigested.length > MAX_TOKEN_CHARACTERS) this.#isReadable = false
    const end = this.#undigested.lastIndexOf('<')
    if (end < 0) return
    this.#addToDigest(this.#undigested.slice(0, end))
    this.#undigested = this.#undigested.slice(end)
  }

  #addToDigest(text: string): void {
    this.#digest.update(this.#visitor.comparedText?.(text) ?? text)
  }

  #guarded(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof UnreadableXml)) throw error
      this.#isReadable = false
    }
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#charactersOfToken > BATCH_CHARACTERS) this.#charactersOfLongTokens += this.#charactersOfToken
    if (++this.#depth > MAX_DEPTH || this.#charactersOfLongTokens > 2 * MAX_TOKEN_CHARACTERS) throw new UnreadableXml('a limit')
    this.#charactersOfToken = 0
    const colon = name.indexOf(':')
    const element: XmlElement = { name, local: colon < 0 ? name : name.slice(colon + 1), attributes, parent: this.#element }
    if (this.root === '') this.root = element.local
    this.#element = element
    const receive = this.#visitor.open(element)
    if (!receive || this.#collectors.length >= MAX_COLLECTORS) return
    if (this.#collectors.length === 0) this.#listen(true)
    this.#collectors.push({ depth: this.#depth, receive, text: '' })
  }

  #close(): void {
    this.#charactersOfToken = 0
    if (this.#depth === 0) return
    const last = this.#collectors.at(-1)
    if (last?.depth === this.#depth) {
      this.#collectors.pop()
      if (this.#collectors.length === 0) this.#listen(false)
      last.receive(last.text.replace(/\s+/g, ' ').trim())
    }
    this.#depth--
    this.#element = this.#element?.parent
  }

  /** Without a receiver, saxes skips texts faster. */
  #listen(isOn: boolean): void {
    if (isOn) {
      this.#parser.on('text', this.#collect)
      this.#parser.on('cdata', this.#collect)
    } else {
      this.#parser.off('text')
      this.#parser.off('cdata')
    }
  }

  readonly #collect = (text: string): void => {
    this.#charactersOfToken = 0
    for (const collector of this.#collectors) if (collector.text.length < MAX_TEXT_CHARACTERS) collector.text += text
  }
}

/** Returns the namespace of an element. Empty: none is declared. */
export function namespaceOf(element: XmlElement): string {
  const colon = element.name.indexOf(':')
  const declaration = colon < 0 ? 'xmlns' : `xmlns:${element.name.slice(0, colon)}`
  for (let at: XmlElement | undefined = element; at; at = at.parent) {
    const namespace = at.attributes[declaration]
    if (namespace !== undefined) return namespace
  }
  return ''
}

/** Bytes that hold a byte order mark and the encoding of an XML declaration. */
const DECLARATION_BYTES = 256

/** Returns the encoding of an XML part: from its byte order mark or its declaration; default: UTF-8. */
function encodingOf(head: Uint8Array): string {
  const [a, b] = [head[0], head[1]]
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be'
  const declared = /^[^<]{0,3}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.-]+)["']/.exec(latin1Of(head.subarray(0, DECLARATION_BYTES)))
  try {
    return new TextDecoder(declared?.[1] ?? 'utf-8').encoding
  } catch {
    return 'utf-8'
  }
}

/** Returns the value of the first attribute with this local name. `undefined`: there is none. */
export function attributeOf({ attributes }: Pick<XmlElement, 'attributes'>, local: string): string | undefined {
  const own = attributes[local]
  if (own !== undefined) return own
  for (const name in attributes) if (name.endsWith(`:${local}`)) return attributes[name]
  return undefined
}
