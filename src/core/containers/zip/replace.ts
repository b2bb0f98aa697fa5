/** Replaces or drops a few files of an archive. All other bytes are ranges of the original, so nothing large is in memory. */
import { concat } from '../../bytes/concat.ts'
import { crc32 } from '../../bytes/crc32.ts'
import { deflateWithin } from '../../bytes/deflate.ts'
import type { Source } from '../../model/codec.ts'
import { type Piece, pieceBytes, splice } from '../../model/splice.ts'
import type { ZipEntry } from './entry.ts'
import { readLocalHeader, type ZipArchive } from './read.ts'
import { centralHeader, DEFLATED, type EntryMetadata, endRecords, FLAG_DESCRIPTOR, localHeader, STORED } from './records.ts'

/** Returns the archive with new content for some files. `drop`: the file is left out. */
export async function withFiles(archive: ZipArchive, changes: ReadonlyMap<ZipEntry, Uint8Array | 'drop'>): Promise<Source> {
  const pieces: Piece[] = [{ from: 0, to: archive.prefixBytes }]
  const written = new Map<ZipEntry, { readonly facts: EntryMetadata; readonly offset: number }>()
  let offset = archive.prefixBytes
  for (const entry of archive.physical) {
    const change = changes.get(entry)
    if (change === 'drop') continue
    const { facts, piece } = change
      ? await newFile(archive, entry, change)
      : { facts: entry, piece: { from: entry.localOffset, to: entry.limit } }
    written.set(entry, { facts, offset })
    pieces.push(piece)
    offset += pieceBytes(piece)
  }
  const headers = archive.entries.flatMap((entry) => {
    const found = written.get(entry)
    return found ? [centralHeader(found.facts, found.offset - archive.base)] : []
  })
  const directory = concat(headers)
  const end = endRecords(headers.length, offset - archive.base, directory.length, archive.comment)
  return splice(archive.source, [...pieces, directory, end, archive.suffix])
}

async function newFile(archive: ZipArchive, entry: ZipEntry, content: Uint8Array): Promise<{ facts: EntryMetadata; piece: Uint8Array }> {
  const deflated = deflateWithin('raw', content, content.length - 1)
  const data = deflated ?? content
  const facts: EntryMetadata = {
    ...entry,
    flags: entry.flags & ~FLAG_DESCRIPTOR,
    method: deflated ? DEFLATED : STORED,
    crc32: crc32(content),
    compressedSize: data.length,
    size: content.length,
  }
  const { extra } = await readLocalHeader(archive, entry)
  return { facts, piece: concat([localHeader(facts, extra), data]) }
}
