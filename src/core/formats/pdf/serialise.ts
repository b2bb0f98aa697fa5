/** Serialises PDF objects with as few bytes as ISO 32000-2, 7.2 and 7.3 allow. */
import { Dict, Name, type PdfObject, PdfSyntax, Ref, Str, Stream } from './objects.ts'

/** True if a character needs no escape in a name (ISO 32000-2, 7.3.5) and ends no token. */
function isRegular(code: number): boolean {
  if (code <= 32 || code >= 127) return false
  // Character codes of # % ( ) / < > [ ] { }
  return !(
    code === 35 ||
    code === 37 ||
    code === 40 ||
    code === 41 ||
    code === 47 ||
    code === 60 ||
    code === 62 ||
    code === 91 ||
    code === 93 ||
    code === 123 ||
    code === 125
  )
}

function numberText(value: number): string {
  if (Number.isInteger(value)) return value === 0 ? '0' : value.toFixed(0)
  let text = String(value)
  // PDF numbers have no exponents (ISO 32000-2, 7.3.3).
  if (text.includes('e')) text = value.toFixed(12).replace(/0+$/, '').replace(/\.$/, '')
  if (text.startsWith('0.')) text = text.slice(1)
  else if (text.startsWith('-0.')) text = `-${text.slice(2)}`
  return text === '' || text === '-' || text === '-0' ? '0' : text
}

function nameText(value: string): string {
  let text = '/'
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    text += isRegular(code) ? value[i] : `#${(code & 255).toString(16).padStart(2, '0')}`
  }
  return text
}

export function stringText(bytes: Uint8Array): string {
  let escapes = 0
  for (const c of bytes) if (c === 40 || c === 41 || c === 92 || c === 13) escapes++
  if (escapes > bytes.length / 2) {
    let hex = '<'
    for (const c of bytes) hex += c.toString(16).padStart(2, '0')
    return `${hex}>`
  }
  let text = '('
  for (const c of bytes) {
    if (c === 40 || c === 41 || c === 92) text += `\\${String.fromCharCode(c)}`
    else if (c === 13) text += '\\r'
    else text += String.fromCharCode(c)
  }
  return `${text})`
}

const MAX_DEPTH = 500

/**
 * Returns one object as text, one character per byte. `refText` formats references, so the caller can renumber objects. `stringOf` formats
 * strings, so the caller can encrypt them.
 */
export function serialise(object: PdfObject, refText: (ref: Ref) => string, stringOf: (bytes: Uint8Array) => string = stringText): string {
  const parts: string[] = []
  let last = ''
  const put = (text: string) => {
    const before = last.charCodeAt(last.length - 1)
    const after = text.charCodeAt(0)
    // Two adjacent regular characters need a space between them. After an empty name a space is needed, too, or the name would include the
    // next token.
    if (last === '/' || (last !== '' && isRegular(before) && (isRegular(after) || after === 35))) parts.push(' ')
    parts.push(text)
    last = text
  }
  const write = (value: PdfObject, depth: number): void => {
    if (depth > MAX_DEPTH) throw new PdfSyntax('objects_nested_too_deeply')
    if (value === null) put('null')
    else if (typeof value === 'boolean') put(value ? 'true' : 'false')
    else if (typeof value === 'number') put(numberText(value))
    else if (value instanceof Name) put(nameText(value.value))
    else if (value instanceof Ref) put(refText(value))
    else if (value instanceof Str) put(stringOf(value.bytes))
    else if (Array.isArray(value)) {
      put('[')
      for (const item of value) write(item, depth + 1)
      put(']')
    } else if (value instanceof Dict) {
      put('<<')
      for (const [key, item] of value) {
        // A null entry is equivalent to a missing entry (ISO 32000-2, 7.3.7).
        if (item === null) continue
        put(nameText(key))
        write(item, depth + 1)
      }
      put('>>')
    } else if (value instanceof Stream) throw new PdfSyntax('stream_inside_object', value.offset)
  }
  write(object, 0)
  return parts.join('')
}
