/** Items of an RTF document: what its groups hold, by destination. */

import { latin1Of } from '../../bytes/latin1.ts'
import type { InventoryKind } from '../../catalog/inventory/kinds.ts'
import type { ItemCollector } from '../collector.ts'
import { Digest } from '../digest.ts'
import type { RtfHandler } from './tokens.ts'

/** Destinations whose text is an item, and the kind of the item. */
const DESTINATIONS: { readonly [word: string]: InventoryKind | undefined } = {
  annotation: 'comments',
  atnauthor: 'comments',
  bkmkstart: 'bookmarks',
  datafield: 'fields',
  fldinst: 'fields',
  fonttbl: 'fonts',
  info: 'properties',
  objclass: 'embedded_objects',
  objdata: 'embedded_objects',
  stylesheet: 'style_sheets',
  userprops: 'properties',
  xmlnstbl: 'custom_xml',
  datastore: 'custom_xml',
  themedata: 'custom_xml',
}
/** Destinations that are part of the document's text. */
const BODY: ReadonlySet<string> = new Set(['rtf', 'header', 'footer', 'headerl', 'headerr', 'headerf', 'footerl', 'footerr', 'footerf'])
/** Control words behind which another item begins. */
const BREAKS: ReadonlySet<string> = new Set(['par', 'cell', 'row', 'sect', 'page', 'nestcell', 'nestrow'])
/** Control words of pictures that change when their data changes. */
const OF_RECOMPRESSED: ReadonlySet<string> = new Set(['jpegblip', 'pngblip', 'bin'])
/** Longest text that is kept as it is. Of a longer one, the item has a digest. */
const MAX_TEXT_CHARACTERS = 4096
/** Characters of control words that are hashed at once. */
const PENDING_CHARACTERS = 16 * 1024
const MAX_DEPTH = 4000

/** Text of an item, in constant memory. */
class ItemText {
  #text = ''
  #digest: Digest | undefined
  #length = 0

  add(text: string): void {
    this.#length += text.length
    if (this.#digest) this.#digest.update(text)
    else if (this.#text.length + text.length <= MAX_TEXT_CHARACTERS) this.#text += text
    else this.#digest = new Digest().update(this.#text + text)
  }

  /** Returns the text and begins another one. */
  take(): string {
    const text = this.#digest ? `${this.#text.slice(0, 40)}… ${this.#length} characters #${this.#digest.finish()}` : this.#text
    this.#text = ''
    this.#digest = undefined
    this.#length = 0
    return text.trim()
  }
}

interface Group {
  readonly text: ItemText
  kind: InventoryKind | 'picture' | 'identifier'
  /** Destination of the group, or of the group around it. */
  name: string
  isFirst: boolean
  /** Facts of a picture. */
  facts: string[]
  isRecompressed: boolean
}

export class RtfGroups implements RtfHandler {
  readonly #items: ItemCollector
  readonly #groups: Group[] = []
  readonly #words = new Digest()
  #wordCount = 0
  /** Control words that are not in the digest yet. */
  #pending = ''
  #trailing = new Digest()
  #trailingBytes = 0
  #hasBegun = false
  /** True if groups are nested too deeply to be read. */
  isTooDeep = false

  constructor(items: ItemCollector) {
    this.#items = items
  }

  open(): void {
    this.#hasBegun = true
    this.#count('{')
    const top = this.#groups.at(-1)
    this.isTooDeep ||= this.#groups.length >= MAX_DEPTH
    if (this.isTooDeep) return
    // Text of a group without a destination of its own belongs to the item around it.
    this.#groups.push({
      text: top && top.kind !== 'picture' ? top.text : new ItemText(),
      kind: top && top.kind !== 'picture' ? top.kind : 'features',
      name: top?.name ?? 'rtf',
      isFirst: true,
      facts: [],
      isRecompressed: false,
    })
  }

  close(): void {
    this.#count('}')
    const group = this.#groups.pop()
    if (!group) return
    if (group.text !== this.#groups.at(-1)?.text) this.#end(group)
    else if (group.kind === 'fonts' || group.kind === 'properties' || group.kind === 'style_sheets') this.#flush(group)
  }

  word(name: string, number: number | undefined): void {
    const group = this.#groups.at(-1)
    if (!group) return
    if (!OF_RECOMPRESSED.has(name)) this.#count(`\\${name}${number ?? ''}`)
    if (group.isFirst) this.#begin(group, name)
    group.isFirst = false
    if (group.kind === 'picture') {
      if (name === 'jpegblip' || name === 'pngblip') group.isRecompressed = true
      else if ((name.startsWith('pic') && name !== 'pict') || name.endsWith('file') || name.endsWith('blip'))
        group.facts.push(`${name}${number ?? ''}`)
    } else if (name === 'u' && number !== undefined) group.text.add(String.fromCharCode(number & 0xffff))
    else if (BREAKS.has(name)) this.#flush(group)
    else if (group.kind === 'properties' && number !== undefined) group.text.add(`${name} ${number} `)
  }

  symbol(character: string): void {
    this.#count(`\\${character}`)
    if (character !== '*') this.#groups.at(-1)?.text.add(character)
  }

  text(text: string): void {
    const group = this.#groups.at(-1)
    if (group) group.text.add(text)
    else if (this.#hasBegun) this.#trail(text)
  }

  binary(bytes: Uint8Array): void {
    const group = this.#groups.at(-1)
    if (group) group.text.add(latin1Of(bytes))
  }

  /** Adds what belongs to the whole document. */
  finish(): void {
    for (const group of this.#groups.splice(0)) this.#end(group)
    this.#digestPending()
    this.#items.add('features', `control words = ${this.#wordCount} #${this.#words.finish()}`)
    if (this.#trailingBytes > 0) this.#items.add('trailing_bytes', `${this.#trailingBytes} bytes #${this.#trailing.finish()}`)
  }

  #begin(group: Group, name: string): void {
    const kind = name === 'pict' ? 'picture' : name === 'blipuid' ? 'identifier' : DESTINATIONS[name]
    if (kind !== undefined) {
      Object.assign(group, { kind, name, text: new ItemText() })
      return
    }
    if (BODY.has(name)) Object.assign(group, { kind: 'texts', name, text: new ItemText() })
  }

  #end(group: Group): void {
    if (group.kind === 'identifier') return
    if (group.kind === 'picture') {
      const text = group.text.take()
      const what = group.isRecompressed ? 'picture' : `${text.length} characters #${new Digest().update(text).finish()}`
      this.#items.add('media', [what, ...group.facts].join(' '))
    } else this.#flush(group)
  }

  #flush({ kind, name, text }: Group): void {
    const value = text.take()
    if (value === '' || kind === 'picture' || kind === 'identifier') return
    this.#items.add(kind, name === 'rtf' ? value : `${name} ${value}`)
    if (name === 'fldinst' && /\bHYPERLINK\b/i.test(value)) this.#items.add('links', value)
  }

  #count(token: string): void {
    this.#wordCount++
    this.#pending += token
    if (this.#pending.length >= PENDING_CHARACTERS) this.#digestPending()
  }

  #digestPending(): void {
    this.#words.update(this.#pending)
    this.#pending = ''
  }

  #trail(text: string): void {
    this.#trailingBytes += text.length
    this.#trailing.update(text)
  }
}
