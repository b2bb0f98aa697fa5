/** Walks the parts of a mail (RFC 5322, RFC 2046) in one pass and adds their items. */
import type { ItemCollector } from '../collector.ts'
import { BodyDigest } from './body.ts'
import type { MailLines } from './mail-lines.ts'

/** Parts inside each other that are read. A deeper part is the body of the part around it. */
const MAX_DEPTH = 100
/** Longest header field in characters. The rest of a longer field is left out. */
const MAX_FIELD_CHARACTERS = 256 * 1024

interface Field {
  readonly name: string
  readonly value: string
}

interface Part {
  readonly fields: readonly Field[]
  readonly type: string
  readonly fileName: string
  readonly disposition: string
}

/** Boundary of an open multipart. */
interface Open {
  readonly boundary: string
  /** Type of parts without a `Content-Type`. */
  readonly byDefault: string
}

const VALUE_OF_ANY_PICTURE = /^content-(?:disposition|type)$/
/** Fields that describe the encoded body. */
const OF_BODY = /^(?:content-transfer-encoding|content-length|content-md5|lines)$/

export class PartItems {
  readonly #lines: MailLines
  readonly #items: ItemCollector
  readonly #open: Open[] = []
  #at = 0

  constructor(lines: MailLines, items: ItemCollector) {
    this.#lines = lines
    this.#items = items
  }

  async read(): Promise<void> {
    await this.#part('text/plain', true)
    while (this.#at < this.#lines.size) await this.#next()
  }

  /** Reads what follows a boundary: the next part of the multipart, or the text behind its last part. */
  async #next(): Promise<void> {
    const line = await this.#lines.lineAt(this.#at)
    const found = line && this.#boundaryIn(line.text)
    if (!line || !found) return this.#skip()
    this.#open.length = found.at + 1
    this.#at = line.next
    const multipart = this.#open[found.at]!
    if (!found.isLast) return this.#part(multipart.byDefault, false)
    this.#open.length = found.at
    return this.#skip()
  }

  async #skip(): Promise<void> {
    this.#at = await this.#lines.findBoundary(this.#at, this.#isBoundary, () => {})
  }

  readonly #isBoundary = (line: string): boolean => this.#boundaryIn(line) !== undefined

  /** Finds the multipart to which a boundary line belongs (RFC 2046, 5.1.1), from the outermost inwards. */
  #boundaryIn(line: string): { at: number; isLast: boolean } | undefined {
    if (!line.startsWith('--')) return undefined
    for (const [at, { boundary }] of this.#open.entries()) {
      if (!line.startsWith(boundary, 2)) continue
      const rest = line.slice(2 + boundary.length).trimEnd()
      if (rest === '' || rest === '--') return { at, isLast: rest === '--' }
    }
    return undefined
  }

  /** Reads a part. `depth`: number of messages around it that have no boundary of their own. */
  async #part(byDefault: string, isMail: boolean, depth = 0): Promise<void> {
    const part = partOf(await this.#fields(), byDefault)
    const isPicture = part.type.startsWith('image/')
    this.#addHeaders(part, isMail, isPicture)
    const contentId = fieldValue(part.fields, 'content-id')
    this.#items.add('parts', `${isPicture ? 'picture' : part.type} ${part.fileName} ${part.disposition} ${contentId}`)
    const mayNest = this.#open.length < MAX_DEPTH
    if (part.type === 'message/delivery-status') return this.#statusBlocks()
    if (part.type.startsWith('message/') && mayNest && depth < MAX_DEPTH) return this.#part('text/plain', false, depth + 1)
    const boundary = parameter(fieldValue(part.fields, 'content-type'), 'boundary')
    if (part.type.startsWith('multipart/') && boundary !== '' && mayNest) {
      const isDigest = part.type === 'multipart/digest'
      this.#open.push({ boundary, byDefault: isDigest ? 'message/rfc822' : 'text/plain' })
      return this.#skip()
    }
    await this.#body(part, isPicture)
  }

  #addHeaders({ fields }: Part, isMail: boolean, isPicture: boolean): void {
    for (const { name, value } of fields) {
      const lower = name.toLowerCase()
      if (isMail) this.#items.add('headers', `${name} = ${value}`)
      else if (!OF_BODY.test(lower) && !(isPicture && VALUE_OF_ANY_PICTURE.test(lower)))
        this.#items.add('headers_of_parts', `${name} = ${value}`)
    }
  }

  async #body({ fields, type, fileName }: Part, isPicture: boolean): Promise<void> {
    const encoding = fieldValue(fields, 'content-transfer-encoding')
      .replace(/\([^()]*\)/g, '')
      .trim()
      .toLowerCase()
    const digest = isPicture ? undefined : new BodyDigest(encoding)
    this.#at = await this.#lines.findBoundary(this.#at, this.#isBoundary, (bytes) => digest?.push(bytes))
    if (!digest) return
    const isText = type.startsWith('text/')
    const mayShrink = !isText || (fileName !== '' && encoding === 'base64')
    this.#items.add(isText ? 'texts' : 'attachments', `${type} ${fileName} = ${digest.finish(mayShrink)}`)
  }

  /** Reads the blocks of a delivery report (RFC 3464, 2.1), each of which has fields and no body. */
  async #statusBlocks(): Promise<void> {
    for (;;) {
      const line = await this.#lines.lineAt(this.#at)
      if (!line || this.#isBoundary(line.text)) return
      if (line.text === '') {
        this.#at = line.next
        continue
      }
      const before = this.#at
      const part = partOf(await this.#fields(), 'text/plain')
      if (this.#at === before) return this.#skip()
      this.#addHeaders(part, false, false)
      this.#items.add('parts', part.type)
      this.#items.add('texts', `${part.type} = 0 bytes`)
    }
  }

  /** Reads header fields up to an empty line, a boundary, or a line that is no field. */
  async #fields(): Promise<Field[]> {
    const raw: string[] = []
    for (;;) {
      const line = await this.#lines.lineAt(this.#at)
      if (!line || this.#isBoundary(line.text)) break
      if (line.text === '') {
        this.#at = line.next
        break
      }
      const isContinued = /^[ \t]/.test(line.text)
      if (!isContinued && !/^(?:From |[!-9;-~]*:)/.test(line.text)) break
      this.#at = line.next
      const last = raw.length - 1
      if (!isContinued) raw.push(line.text)
      else if (last >= 0 && raw[last]!.length < MAX_FIELD_CHARACTERS) raw[last] += ` ${line.text}`
    }
    return raw.flatMap((text) => {
      const colon = text.indexOf(':')
      return colon > 0 && !text.startsWith('From ') ? [{ name: text.slice(0, colon), value: text.slice(colon + 1).trim() }] : []
    })
  }
}

function partOf(fields: readonly Field[], byDefault: string): Part {
  const contentType = fieldValue(fields, 'content-type')
  const named = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const disposition = fieldValue(fields, 'content-disposition')
  return {
    fields,
    type: contentType === '' ? byDefault : /^[^/]*\/[^/]*$/.test(named) ? named : 'text/plain',
    fileName: parameter(disposition, 'filename') || parameter(contentType, 'name'),
    disposition: disposition.split(';', 1)[0]!.trim().toLowerCase(),
  }
}

/** Value of the first field with this name in lower case. Empty: none. */
const fieldValue = (fields: readonly Field[], name: string): string =>
  fields.find((field) => field.name.toLowerCase() === name)?.value ?? ''

/** Value of a parameter, as written, including the parts and the charset of RFC 2231. Empty: none. */
function parameter(value: string, name: string): string {
  const pattern = new RegExp(`;\\s*${name}(?:\\*\\d{0,3}\\*?)?\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'gi')
  return [...value.matchAll(pattern)].map(([, quoted, plain]) => quoted ?? plain ?? '').join('')
}
