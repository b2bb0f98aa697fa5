/** Mutates PDF objects as text, and streams after decoding. `/Length` and the cross-reference table are recomputed. */
import { deflateSync, inflateSync } from 'node:zlib'
import { fromLatin1, latin1, withDamage, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

/** A PDF object as latin1 text. `stream`: its data as stored; `undefined`: no stream. */
interface PdfObject {
  readonly number: number
  readonly dictionary: string
  readonly stream: string | undefined
}

const NUMBERS = ['0', '-1', '1', '2147483647', '4294967296', '99999999999', '1e9', '0.0001', '65536', '-2147483648', 'null', 'true']
const NAMES = ['/FlateDecode', '/DCTDecode', '/LZWDecode', '/ASCII85Decode', '/CCITTFaxDecode', '/JPXDecode', '/DeviceGray', '/DeviceCMYK']
const MORE_NAMES = [
  '/Indexed',
  '/ICCBased',
  '/Image',
  '/Form',
  '/Page',
  '/Pages',
  '/Catalog',
  '/Null',
  '/SMask',
  '/Mask',
  '/Decode',
  '/Parent',
]
const VALUES = ['[', ']', '<<', '>>', '[[[[', '<</A<</B', '(a\\', '<41', '/', '%', '1 0 R', '99 0 R', '[0 0 0 0]', '[/Pattern]']

export function objectsOf(text: string): PdfObject[] {
  return [...text.matchAll(/(?:^|[\r\n ])(\d+) 0 obj\b([\s\S]*?)endobj/g)].map(([, number, body = '']) => {
    const at = /stream\r?\n/.exec(body)
    const end = body.lastIndexOf('endstream')
    if (!at || end < at.index) return { number: Number(number), dictionary: body.trim(), stream: undefined }
    const stream = body.slice(at.index + at[0].length, end).replace(/\r?\n$/, '')
    return { number: Number(number), dictionary: body.slice(0, at.index).trim(), stream }
  })
}

/**
 * Serialises a PDF with a cross-reference table.
 * @param fixLengths true: `/Length` is corrected; default: true
 */
export function pdfOfObjects(objects: readonly PdfObject[], root: string, fixLengths = true): string {
  let text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'
  const offsets = new Map<number, number>()
  for (const { number, dictionary, stream } of objects) {
    offsets.set(number, text.length)
    const fixed = fixLengths && stream !== undefined ? dictionary.replace(/\/Length \d+(?! \d+ R)/, `/Length ${stream.length}`) : dictionary
    text += `${number} 0 obj\n${fixed}${stream === undefined ? '' : `\nstream\n${stream}\nendstream`}\nendobj\n`
  }
  const size = Math.min(Math.max(0, ...offsets.keys()) + 1, 100_000)
  const lines = Array.from({ length: size }, (_, i) => {
    const offset = offsets.get(i)
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  return `${text}xref\n0 ${size}\n${lines.join('')}trailer\n<</Size ${size}/Root ${root}>>\nstartxref\n${text.length}\n%%EOF\n`
}

/** Replaces a number, a name or a value in the text. */
function changedText(text: string, random: Random): string {
  const words = [...text.matchAll(/\/[A-Za-z0-9]+|-?\d+(?:\.\d+)?/g)]
  const word = words[random.below(words.length)]
  if (!word) return text
  const other = word[0].startsWith('/')
    ? random.pick([...NAMES, ...MORE_NAMES, ...words.map(([found]) => found)])
    : random.pick([...NUMBERS, String(random.below(words.length))])
  const made = random.chance(0.85) ? other : random.pick(VALUES)
  return text.slice(0, word.index) + made + text.slice(word.index + word[0].length)
}

function changedStream(object: PdfObject, random: Random): PdfObject {
  if (object.stream === undefined) return { ...object, dictionary: changedText(object.dictionary, random) }
  const stored = fromLatin1(object.stream)
  if (!/\/FlateDecode/.test(object.dictionary) || random.chance(0.3)) return { ...object, stream: latin1(withDamage(stored, random)) }
  const content = inflateSync(stored)
  const isText = content.subarray(0, 40).every((byte) => byte >= 9 && byte < 127)
  const made = isText ? fromLatin1(changedText(latin1(content), random)) : withDamage(content, random)
  return { ...object, stream: latin1(deflateSync(made, { level: 1 })) }
}

function changed(objects: readonly PdfObject[], random: Random): PdfObject[] {
  switch (random.below(6)) {
    case 0:
      return withRearrangedItems(objects, random)
    case 1:
    case 2:
      return withOne(objects, random, (object) => changedStream(object, random))
    default: {
      let made = objects
      for (let edits = 1 + random.below(3); edits > 0; edits--)
        made = withOne(made, random, (object) => ({ ...object, dictionary: changedText(object.dictionary, random) }))
      return [...made]
    }
  }
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const text = latin1(file)
  const root = /\/Root (\d+ \d+ R)/.exec(text)?.[1]
  const objects = objectsOf(text)
  if (!root || objects.length === 0 || random.chance(0.08)) return withDamage(file, random)
  return fromLatin1(pdfOfObjects(changed(objects, random), root, random.chance(0.9)))
}

export const PDF_MUTATOR: Mutator = { container: 'PDF', formats: ['pdf'], mutate }
