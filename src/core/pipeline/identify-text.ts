/** Recognises plain text and the formats written as text: SVG, mail, DXF. */

import { latin1Of } from '../bytes/latin1.ts'
import type { FormatId } from '../catalog/index.ts'
import { FORMATS } from '../catalog/index.ts'
import type { Source } from '../model/codec.ts'
import { extension } from './extension.ts'

/** Formats that are accepted by file name alone if nothing else recognises the bytes, because their bytes may be anything. */
const NAMED_TEXT = ['text', 'eml'] as const

const namedText = (name: string) => NAMED_TEXT.find((id) => (FORMATS[id].extensions as readonly string[]).includes(extension(name)))

export const isNamedText = (name: string): boolean => namedText(name) !== undefined

export function identifyText(head: Uint8Array, source: Pick<Source, 'name'>): FormatId | undefined {
  const named = namedText(source.name)
  const text = decodeText(head)
  // If the encoding is unknown (one line of Cyrillic, a log with NUL bytes), the file name decides: text codecs keep any bytes.
  if (text === undefined) return startsWithBinaryDxf(head) ? 'dxf' : head.length > 0 ? named : undefined
  if (isSvg(text)) return 'svg'
  if (named === 'eml' || (isMail(text) && named !== 'text')) return 'eml'
  if (extension(source.name) === 'dxf' ? isDxf(text) : isDxf(text) && /\bSECTION\b/.test(text)) return 'dxf'
  return 'text'
}

/** Decodes the head of a file as text. `undefined`: it contains control characters, or no common encoding fits. */
function decodeText(head: Uint8Array): string | undefined {
  const utf16 = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : unmarkedUtf16(head)
  if (utf16) {
    const text = new TextDecoder(utf16).decode(head)
    return isPlain(text) ? text : undefined
  }
  try {
    // The head may end inside a UTF-8 character; `stream: true` ignores up to three incomplete bytes.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(head, { stream: true })
    return isPlain(text) ? text : undefined
  } catch {
    const text = new TextDecoder('latin1').decode(head)
    return isPlain(text) && mostlyLetters(text) ? text : undefined
  }
}

/** Recognises UTF-16 without a byte order mark: in most text, every second byte is zero. */
function unmarkedUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.min(head.length, 4096) >> 1
  const zeros = [0, 0]
  for (let i = 0; i < pairs * 2; i++) if (head[i] === 0) zeros[i & 1]!++
  if (pairs < 8) return undefined
  if (zeros[0] === 0 && zeros[1]! > pairs * 0.7) return 'utf-16le'
  return zeros[1] === 0 && zeros[0]! > pairs * 0.7 ? 'utf-16be' : undefined
}

function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish binary data from text
  return text.length > 0 && !/[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/.test(text)
}

/** True if 8-bit text is plausible: more than half of it is ASCII, or it has at least three lines of up to 400 characters. */
function mostlyLetters(text: string): boolean {
  let ascii = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x80) ascii++
  return ascii / text.length > 0.5 || /^(?:[^\n]{1,400}\n){3}/.test(text)
}

function isSvg(text: string): boolean {
  const body = text.replace(/^\ufeff?\s*/, '').replace(/^(?:<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?:[^[>]|\[[\s\S]*?\])*>|\s)+/i, '')
  return /^<(?:[\w-]+:)?svg[\s>]/.test(body) || /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<!DOCTYPE\s+svg\b/i.test(text)
}

/** Recognises mail: RFC 5322 header fields at the top, at least two of them common ones. */
function isMail(text: string): boolean {
  const [headers = ''] = text.split(/\r?\n\r?\n/, 1)
  const lines = headers.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  if (lines[0]?.startsWith('From ')) lines.shift()
  if (!lines.every((line, i) => /^[\x21-\x39\x3b-\x7e]+:/.test(line) || i === lines.length - 1)) return false
  const usual = /^(from|to|subject|date|received|message-id|mime-version|return-path|delivered-to|content-type|reply-to|cc):/i
  return lines.filter((line) => usual.test(line)).length >= 2
}

/** Recognises ASCII DXF: pairs of lines (group code, value) that begin with `0 SECTION`, after optional comments (code 999). */
function isDxf(text: string): boolean {
  return /^\ufeff?\s*(?:999\s*\r?\n[^\n]*\n\s*)*0\s*\r?\n\s*SECTION\s*\r?\n/.test(text)
}

const BINARY_DXF = 'AutoCAD Binary DXF\r\n'
function startsWithBinaryDxf(head: Uint8Array): boolean {
  return latin1Of(head.subarray(0, BINARY_DXF.length)) === BINARY_DXF
}
