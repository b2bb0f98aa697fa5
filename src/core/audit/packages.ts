/** Pairs of embedded files that differ between an original package or mail and its result. */

import { equalBytes } from '../bytes/equal.ts'
import { openZip, readEntry } from '../containers/zip/read.ts'
import { toLosslessPng } from '../embedded/lossless-replacement.ts'
import { readBase64 } from '../formats/eml/base64.ts'
import { allParts, type MimePart, readMime } from '../formats/eml/parts.ts'
import { readQuotedPrintable } from '../formats/eml/quoted-printable.ts'
import { type EmbeddedPicture, picturesOf } from '../formats/office97/pictures.ts'
import { dataOf } from '../formats/rtf/ranges.ts'
import { scanRtf } from '../formats/rtf/scan.ts'
import type { Options, Source } from '../model/codec.ts'

export interface EmbeddedPair {
  readonly name: string
  readonly before: Uint8Array
  readonly after: Uint8Array
}

const INNER = /\.(jpe?g|jpe|png|gif|bmp|tiff?|svg|docx|docm|xlsx|xlsm|pptx|pptm|pdf)$/i
const STEM = /^(.*)\.[^./]*$/

/**
 * Yields pictures and documents that both archives contain and that differ. A renamed file (`a.png` that became `a.jpg`) is matched by
 * its name without extension.
 */
export async function* packagePairs(original: Source, result: Source): AsyncGenerator<EmbeddedPair> {
  const [before, after] = [await openZip(original), await openZip(result)]
  const names = new Set(before.physical.map(({ name }) => name))
  const fresh = after.physical.filter(({ name }) => !names.has(name))
  for (const entry of before.physical) {
    if (entry.opaque || entry.isDirectory || !INNER.test(entry.name)) continue
    const stem = STEM.exec(entry.name)?.[1]
    const other = after.physical.find(({ name }) => name === entry.name) ?? fresh.find(({ name }) => STEM.exec(name)?.[1] === stem)
    // A missing entry was a duplicate or unreferenced; the codec's verification decides whether it may be dropped.
    if (!other || other.opaque || (other.size === entry.size && other.crc32 === entry.crc32)) continue
    const bytes = await readEntry(before, entry)
    const old = /\.tiff?$/i.test(entry.name) ? ((await toLosslessPng(bytes)) ?? bytes) : bytes
    yield { name: entry.name.split('/').at(-1)!, before: old, after: await readEntry(after, other) }
  }
}

/** Yields attachments that both mails contain and that differ, matched by position. */
export async function* mailPairs(original: Source, result: Source): AsyncGenerator<EmbeddedPair> {
  const [before, after] = [await readMime(original.stream()), await readMime(result.stream())]
  if (!before || !after) return
  const parts = [...allParts(after)]
  for (const [index, part] of [...allParts(before)].entries()) {
    const other = parts[index]
    if (!/^(base64|quoted-printable)$/.test(part.encoding) || part.children.length > 0 || !other) continue
    const [a, b] = [await bodyOf(original, part), await bodyOf(result, other)]
    if (a && b && !equalBytes(a, b)) yield { name: part.fileName ?? '', before: a, after: b }
  }
}

/** Yields pictures that both RTF files contain and that differ, matched by position. */
export async function* rtfPairs(original: Source, result: Source, signal: AbortSignal): AsyncGenerator<EmbeddedPair> {
  const [before, after] = [await scanRtf(original, signal), await scanRtf(result, signal)]
  for (const [index, picture] of before.entries()) {
    const other = after[index]
    if (!other) continue
    const [a, b] = [await dataOf(original, picture), await dataOf(result, other)]
    if (!equalBytes(a, b)) yield { name: `picture.${other.kind}`, before: a, after: b }
  }
}

/** Yields pictures that both presentations or workbooks contain and that differ, matched by position. */
export async function* office97Pairs(original: Source, result: Source, id: 'ppt' | 'xls', options: Options): AsyncGenerator<EmbeddedPair> {
  const pictures = (source: Source) => picturesOf(source, id, options)
  const after = pictures(result)
  for await (const before of pictures(original)) {
    const other = (await after.next()).value as EmbeddedPicture | undefined
    if (other && !equalBytes(before.file, other.file)) yield { name: `picture.${other.extension}`, before: before.file, after: other.file }
  }
}

async function bodyOf(mail: Source, { encoding, start, end }: MimePart): Promise<Uint8Array | undefined> {
  async function* bytes() {
    yield await mail.read(start, end - start)
  }
  return (await (encoding === 'base64' ? readBase64 : readQuotedPrintable)(bytes(), end - start))?.bytes
}
