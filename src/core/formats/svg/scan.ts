/**
 * Tokenises the bytes of an SVG for drawings whose element trees exceed the memory limit. It yields all tokens, including text and
 * comments. The encoding must be a superset of ASCII. Unlike `containers/xml/scan.ts`, it works on bytes (24 MB of them would be 48 MB as
 * text), checks well-formedness, does not resolve references and accepts a DOCTYPE.
 */
import { latin1Of } from '../../bytes/latin1.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'

/** Token of the document: a tag, or the text between two tags. `from` and `to` are byte offsets in the file. */
export type Token =
  | { kind: 'open'; name: string; attributes: readonly Attribute[]; empty: boolean; from: number; to: number }
  | { kind: 'close'; name: string; from: number; to: number }
  | { kind: 'text' | 'cdata' | 'comment' | 'instruction' | 'doctype'; from: number; to: number }

interface Attribute {
  readonly name: string
  readonly value: string
  readonly quote: '"' | "'"
}

const MAX_DEPTH = 512
/** Maximum number of attributes of one element. SVG defines about 60; programs add data of their own. */
export const MAX_ATTRIBUTES = 1000
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

const damaged = (what: MessageOrCode, at: number) => malformed('svg', at, what)

/**
 * Yields all tokens in order.
 * @throws CodecError (malformed) if tags do not match or do not end
 */
export function* scanSvg(bytes: Uint8Array): Generator<Token> {
  const open: string[] = []
  let roots = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== 0x3c) {
      const next = bytes.indexOf(0x3c, at)
      const to = next < 0 ? bytes.length : next
      yield { kind: 'text', from: at, to }
      at = to
      continue
    }
    const token = markupAt(bytes, at)
    if (token.kind === 'open') {
      if (open.length === 0 && roots++ > 0) throw damaged('second_root_element', at)
      if (!token.empty) open.push(token.name)
      if (open.length > MAX_DEPTH) throw overBudget(message('elements_nested_deeper', { limit: MAX_DEPTH }))
    } else if (token.kind === 'close' && open.pop() !== token.name) {
      throw damaged(message('closes_nothing', { name: token.name.slice(0, 40) }), at)
    }
    yield token
    at = token.to
  }
  if (open.length > 0) throw damaged(message('never_closed', { name: String(open.at(-1)?.slice(0, 40)) }), bytes.length)
  if (roots === 0) throw damaged('no_root_element', 0)
}

/**
 * Checks that a document is well-formed.
 * @throws CodecError (malformed) if tags do not match or do not end
 */
export function assertWellFormed(bytes: Uint8Array): void {
  const scan = scanSvg(bytes)
  let last = scan.next()
  while (!last.done) last = scan.next()
}

function markupAt(bytes: Uint8Array, from: number): Token {
  const starts = (text: string) => latin1Of(bytes.subarray(from, from + text.length)) === text
  const until = (end: string) => {
    const last = end.charCodeAt(end.length - 1)
    for (let at = from + end.length; (at = bytes.indexOf(last, at)) >= 0; at++)
      if (latin1Of(bytes.subarray(at + 1 - end.length, at + 1)) === end) return at + 1
    throw damaged(message('end_does_not_follow', { end }), from)
  }
  if (starts('<!--')) return { kind: 'comment', from, to: until('-->') }
  if (starts('<![CDATA[')) return { kind: 'cdata', from, to: until(']]>') }
  if (starts('<?')) return { kind: 'instruction', from, to: until('?>') }
  if (starts('<!')) return { kind: 'doctype', from, to: doctypeEnd(bytes, from) }
  const to = tagEnd(bytes, from)
  const inside = latin1Of(bytes.subarray(from + 1, to - 1))
  if (inside.startsWith('/')) {
    const name = /^\/([^\s<>"'/=]+)\s*$/.exec(inside)?.[1]
    if (!name) throw damaged('end_tag_without_name', from)
    return { kind: 'close', name, from, to }
  }
  const name = /^[^\s<>"'/=]+/.exec(inside)?.[0]
  if (!name) throw damaged('tag_without_name', from)
  const attributes: Attribute[] = []
  const names = new Set<string>()
  let end = name.length
  ATTRIBUTE.lastIndex = end
  for (let match = ATTRIBUTE.exec(inside); match; match = ATTRIBUTE.exec(inside)) {
    const [, attribute = '', double, single] = match
    if (names.has(attribute)) throw damaged(message('attribute_twice', { name: attribute.slice(0, 40) }), from)
    names.add(attribute)
    if (names.size > MAX_ATTRIBUTES) throw overBudget(message('more_than_attributes_of_one_element', { limit: MAX_ATTRIBUTES }))
    attributes.push({ name: attribute, value: double ?? single ?? '', quote: double === undefined ? "'" : '"' })
    end = ATTRIBUTE.lastIndex
  }
  const rest = inside.slice(end).trim()
  if (rest !== '' && rest !== '/') throw damaged('tag_cannot_be_read', from + end)
  return { kind: 'open', name, attributes, empty: rest === '/', from, to }
}

/** Offset after the closing `>` of a tag, ignoring quoted text. */
function tagEnd(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x3e) return at + 1
    if (byte === 0x22 || byte === 0x27) {
      at = bytes.indexOf(byte, at + 1)
      if (at < 0) break
    }
  }
  throw damaged('tag_does_not_end', from)
}

function doctypeEnd(bytes: Uint8Array, from: number): number {
  let inSubset = false
  for (let at = from + 2; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x5b) inSubset = true
    else if (byte === 0x5d) inSubset = false
    else if (byte === 0x3e && !inSubset) return at + 1
    else if (byte === 0x22 || byte === 0x27) {
      at = bytes.indexOf(byte, at + 1)
      if (at < 0) break
    }
  }
  throw damaged('doctype_does_not_end', from)
}
