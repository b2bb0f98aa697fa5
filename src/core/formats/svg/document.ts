/** Reads the text of an SVG or SVGZ file. Dangerous constructs are refused before a parser runs. */

import { gzipDecompress } from '../../bytes/deflate.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { readAll } from '../../model/source.ts'
import { contentsOf, type Piece, piecesOf, startTagsOf } from './markup.ts'
import { MAX_ATTRIBUTES, scanSvg } from './scan.ts'
import { BYTES_PER_CHARACTER, BYTES_PER_ELEMENT, MAX_RULE_TRIALS, MAX_STREAMED_BYTES, MAX_TEXT_BYTES, MAX_TREE_BYTES } from './tuning.ts'

export interface SvgDocument {
  readonly text: string
  /** True if the file is compressed with gzip (SVGZ). */
  readonly isGzipped: boolean
}

/** Limits for entities. Adobe Illustrator declares a few entities for namespace names. */
const MAX_ENTITIES = 64
const MAX_ENTITY_CHARACTERS = 1024
const MAX_EXPANSION_CHARACTERS = 256 * 1024
const MAX_DEPTH = 512
const ENTITY_REFERENCE = /^&([A-Za-z_:][\w:.-]*);/
/** Maximum number of entity and character references. The parser of svgo accepts at most 512. */
const MAX_REFERENCES = 500
/** Maximum number of undeclared entity references that are examined one by one. */
const MAX_SUSPECTS = 1000

export async function readSvg(source: Source, options: Pick<Options, 'estimated'> = {}): Promise<SvgDocument> {
  const { bytes, zipped } = await readSvgBytes(source)
  if (bytes.length > MAX_TEXT_BYTES) throw overBudget(message('bytes_too_many_for_tree', { bytes: bytes.length }))
  const text = decode(bytes)
  const treeBytes = refuseUnsafe(text)
  options.estimated?.(treeBytes)
  return { text, isGzipped: zipped }
}

/** Reads a file and decompresses it if it is SVGZ. */
export async function readSvgBytes(source: Source): Promise<{ bytes: Uint8Array; zipped: boolean }> {
  if (source.size > MAX_STREAMED_BYTES) {
    throw overBudget(message('svg_too_large_to_hold', { fileSize: source.size, limit: MAX_STREAMED_BYTES }))
  }
  const bytes = await readAll(source)
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  return { bytes: zipped ? gzipDecompress(bytes, MAX_STREAMED_BYTES) : bytes, zipped }
}

/**
 * Checks the requirements of the streaming pass: an ASCII-compatible encoding and a safe DOCTYPE.
 * @throws CodecError otherwise.
 */
export function assertStreamable(bytes: Uint8Array): void {
  const head = latin1Of(bytes.subarray(0, 64 * 1024))
  if (bytes[0] === 0 || bytes[1] === 0 || /^(?:\xff\xfe|\xfe\xff)/.test(head)) throw overBudget('utf16_tree_does_not_fit')
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  if (!/^(?:utf-8|us-ascii|iso-8859-\d+|windows-12\d+|latin\d+)$/i.test(declared))
    throw overBudget(message('text_tree_does_not_fit', { declared }))
  refuseUndeclared(bytes, refuseEntities(head))
}

/** Refuses references to undeclared entities, at which most XML parsers stop. Text in comments and CDATA sections is not a reference. */
function refuseUndeclared(bytes: Uint8Array, declared: ReadonlySet<string>): void {
  const suspects: number[] = []
  for (let at = bytes.indexOf(0x26); at >= 0; at = bytes.indexOf(0x26, at + 1)) {
    const name = ENTITY_REFERENCE.exec(latin1Of(bytes.subarray(at, at + 64)))?.[1]
    if (name !== undefined && !declared.has(name)) suspects.push(at)
    if (suspects.length > MAX_SUSPECTS) throw malformed('svg', suspects[0] ?? 0, 'undeclared_entity')
  }
  if (suspects.length === 0) return
  for (const { kind, from, to } of scanSvg(bytes)) {
    const at = suspects.find((suspect) => suspect >= from && suspect < to)
    if (at !== undefined && (kind === 'open' || kind === 'text')) throw malformed('svg', at, 'undeclared_entity')
  }
}

/** Decodes text by byte order mark, else by the encoding of the XML declaration, else as UTF-8 (XML 1.0, appendix F). */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
  const declared = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 200)))
  try {
    return new TextDecoder(utf16 ?? declared?.[1] ?? 'utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw malformed('svg', 0, message('text_not', { declared: declared?.[1] ?? 'UTF-8' }))
  }
}

/**
 * Refuses documents that are unsafe or too expensive to parse.
 * @returns the estimated size of all element trees in bytes
 */
function refuseUnsafe(text: string): number {
  const declared = refuseEntities(text)
  for (const { kind, from, to } of piecesOf(text)) {
    if (kind === 'comment' || kind === 'cdata') continue
    for (const { 1: name = '', index } of text.slice(from, to).matchAll(/&([A-Za-z_:][\w:.-]*);/g)) {
      if (!declared.has(name)) throw malformed('svg', from + index, message('undeclared_entity_named', { name: name.slice(0, 40) }))
    }
  }
  const references = text.match(/&(?!(?:lt|gt|amp|quot|apos);)/g)?.length ?? 0
  if (references > MAX_REFERENCES) throw overBudget(message('references_to_characters_as_fonts_have_them', { count: references }))
  const { deepest, elements, attributes } = treeStatistics(text)
  if (attributes > MAX_ATTRIBUTES) throw overBudget(message('element_with_attributes', { count: attributes }))
  const treeBytes = elements * BYTES_PER_ELEMENT + text.length * BYTES_PER_CHARACTER
  if (treeBytes > MAX_TREE_BYTES) throw overBudget(message('element_trees_do_not_fit', { elements, characters: text.length }))
  let rules = 0
  for (const sheet of contentsOf(text, 'style')) rules += sheet.split('{').length - 1
  if (rules * elements > MAX_RULE_TRIALS) throw overBudget(message('style_rules_take_too_long', { rules, elements }))
  if (deepest > MAX_DEPTH) throw overBudget(message('elements_nested_deeper', { limit: MAX_DEPTH }))
  return treeBytes
}

function doctypeOf(text: string): Piece | undefined {
  for (const piece of piecesOf(text)) {
    if (piece.kind === 'doctype') return piece
    if (piece.kind === 'tag') return undefined
  }
  return undefined
}

/**
 * Refuses unsafe entity declarations.
 * @returns the names of entities that may be referenced
 */
function refuseEntities(text: string): ReadonlySet<string> {
  const doctype = doctypeOf(text)
  const subset = doctype ? text.slice(doctype.from, doctype.to).replace(/^[^[]*/, '') : ''
  if (/<!ENTITY\s+(?:%|\S+\s+(?:SYSTEM|PUBLIC)\b)/i.test(subset)) {
    throw unsupported('external_or_parameter_entities_never_fetched')
  }
  const entities = [...subset.matchAll(/<!ENTITY\s+(\S+)\s+("[^"]*"|'[^']*')\s*>/gi)]
  if (entities.length > MAX_ENTITIES) throw malformed('svg', doctype!.from, message('too_many_entities', { count: entities.length }))
  let expansion = 0
  for (const [, name = '', quoted = ''] of entities) {
    const value = quoted.slice(1, -1)
    // Entities inside entities are refused, because they allow a few bytes to expand to gigabytes.
    if (value.includes('&') || value.length > MAX_ENTITY_CHARACTERS) {
      throw malformed('svg', doctype!.from, message('entity_nested_or_too_long', { name: name.slice(0, 40) }))
    }
    expansion += (text.split(`&${name};`).length - 1) * value.length
  }
  if (expansion > MAX_EXPANSION_CHARACTERS)
    throw malformed('svg', doctype!.from, message('entities_expand_to_characters', { characters: expansion }))
  return new Set(['lt', 'gt', 'amp', 'quot', 'apos', ...entities.map(([, name = '']) => name)])
}

/** Approximate nesting depth, number of elements, and largest number of attributes of one element. */
function treeStatistics(text: string): { deepest: number; elements: number; attributes: number } {
  let deepest = 0
  let elements = 0
  let attributes = 0
  for (const { tag, depth } of startTagsOf(text)) {
    elements++
    deepest = Math.max(deepest, depth + 1)
    attributes = Math.max(attributes, tag.match(/=\s*["']/g)?.length ?? 0)
  }
  return { deepest, elements, attributes }
}
