/** Texts of PNG files: tEXt, zTXt and iTXt (W3C PNG, 11.3.3), and the XMP packet in iTXt. */
import { latin1Of } from '../bytes/latin1.ts'
import { textOfBytes } from './decode-text.ts'
import type { InventoryBuilder } from './inventory.ts'
import { addComment } from './picture-items.ts'
import { addXmp } from './xmp.ts'
import { inflateZlib } from './zlib-stream.ts'

/** Most bytes of an inflated text. */
const MOST_BYTES = 8 * 1024 * 1024
const XMP = 'XML:com.adobe.xmp'

interface Text {
  readonly keyword: string
  readonly content: Uint8Array
  readonly isUtf8: boolean
  /** Language and keyword in that language, of iTXt. Empty: none. */
  readonly language: string
}

/** Adds a text chunk. A damaged one becomes an item with its digest. */
export async function addText(builder: InventoryBuilder, type: 'tEXt' | 'zTXt' | 'iTXt', chunk: Uint8Array): Promise<void> {
  const found = await textOf(type, chunk).catch(() => undefined)
  if (!found) {
    builder.addBytes('comments', 'unreadable comment', chunk)
    return
  }
  const { keyword, content, isUtf8, language } = found
  if (keyword === XMP && type === 'iTXt') {
    addXmp(builder, content)
    return
  }
  addComment(builder, isUtf8 ? new TextDecoder().decode(content) : latin1Of(content), keyword)
  if (language !== '') builder.add('languages', `comment ${keyword} = ${language}`)
}

/** Parses a text chunk. `undefined`: it is damaged. @throws Error if the compressed text is damaged or too long */
async function textOf(type: string, chunk: Uint8Array): Promise<Text | undefined> {
  const end = chunk.indexOf(0)
  if (end < 0) return undefined
  const keyword = latin1Of(chunk.subarray(0, end))
  const inflated = (at: number) => inflateZlib(chunk.subarray(at), MOST_BYTES)
  if (type === 'tEXt') return { keyword, content: chunk.subarray(end + 1), isUtf8: false, language: '' }
  if (type === 'zTXt') return chunk[end + 1] === 0 ? { keyword, content: await inflated(end + 2), isUtf8: false, language: '' } : undefined
  const languageEnd = chunk.indexOf(0, end + 3)
  const keywordEnd = languageEnd < 0 ? -1 : chunk.indexOf(0, languageEnd + 1)
  if (keywordEnd < 0) return undefined
  const language = `${latin1Of(chunk.subarray(end + 3, languageEnd))} ${textOfBytes(chunk.subarray(languageEnd + 1, keywordEnd))}`.trim()
  const content = chunk[end + 1] === 1 ? await inflated(keywordEnd + 1) : chunk.subarray(keywordEnd + 1)
  return { keyword, content, isUtf8: true, language }
}
