/**
 * Inventory reader for NIfTI-1 and NIfTI-2, plain, as `.nii.gz`, and as a pair in a ZIP archive: header fields, extensions, bytes after the
 * volume. Voxels are no items: the codec compares them.
 */

import { hex } from '../bytes/hex.ts'
import { ByteReader } from '../bytes/reader.ts'
import type { Source } from '../model/codec.ts'
import { type ByteStream, streamOfFile, streamOfInflated } from './byte-stream.ts'
import { digestOfStream } from './digest.ts'
import { FileView } from './file-view.ts'
import { INFLATE_LIBRARY } from './inflate.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addHeader, MAX_HEADER_BYTES, type NiftiLayout } from './nifti/header.ts'
import { openZip } from './zip.ts'

/** Most bytes of an inflated file, and most bytes after the volume of one. More indicates a decompression bomb. */
const MAX_INFLATED_BYTES = 2 ** 31
const MAX_INFLATED_TAIL_BYTES = 1 << 20
/** Bytes after the header that say whether extensions follow. */
const EXTENDER_BYTES = 4
/** Bytes of an extension's size and code. */
const EXTENSION_HEADER_BYTES = 8

export const NIFTI_READER: InventoryReader = { read }
/** Reader of files that are always compressed. */
export const NIFTI_GZIP_READER: InventoryReader = { library: INFLATE_LIBRARY, read }

async function read(source: Source, signal: AbortSignal): Promise<Inventory> {
  const view = new FileView(source, 'nifti', signal)
  const to = new InventoryBuilder()
  const [first, second] = await view.bytesUpTo(0, 2)
  if (first === 0x50 && second === 0x4b) await addMembers(source, to, signal)
  else {
    const isGzip = first === 0x1f && second === 0x8b
    const options = { wrapper: 'gzip', maxBytes: MAX_INFLATED_BYTES } as const
    await addVolume(
      view,
      isGzip ? streamOfInflated(view, 0, options, signal) : streamOfFile(view, 0),
      to,
      isGzip ? MAX_INFLATED_TAIL_BYTES : view.size,
    )
  }
  return to.build()
}

/** @param maxTail most bytes after the volume */
async function addVolume(view: FileView, stream: ByteStream, to: InventoryBuilder, maxTail: number): Promise<void> {
  await stream.fill(MAX_HEADER_BYTES)
  const layout = addHeader(stream.peek(MAX_HEADER_BYTES).slice(), to)
  if (!layout) throw view.malformed(0)
  await stream.skip(layout.headerBytes)
  await addExtensions(stream, layout, to)
  await stream.skip(Math.max(0, layout.volumeEnd - stream.position))
  const start = stream.position
  if (!(await stream.fill(1))) return
  const digest = await digestOfStream(rest(view, stream, maxTail))
  to.add('trailing_bytes', `after the volume = ${stream.position - start} bytes #${digest}`)
}

async function* rest(view: FileView, stream: ByteStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  const end = stream.position + maxBytes
  while (await stream.fill(1)) {
    if (stream.position + stream.available > end) throw view.malformed(view.size)
    yield stream.take(stream.available)
  }
}

/** Reads the extensions between header and volume (nifti1.h, "HEADER EXTENSIONS"), and other bytes there. */
async function addExtensions(stream: ByteStream, { littleEndian, volumeAt }: NiftiLayout, to: InventoryBuilder): Promise<void> {
  if (volumeAt - stream.position < EXTENDER_BYTES || !(await stream.fill(EXTENDER_BYTES))) return
  const extender = stream.take(EXTENDER_BYTES).slice()
  if (extender.some((byte) => byte !== 0)) to.add('header', `extension = 0x${hex(extender)}`)
  for (let i = 0; extender[0] !== 0 && volumeAt - stream.position >= EXTENSION_HEADER_BYTES; i++) {
    if (!(await stream.fill(EXTENSION_HEADER_BYTES))) return
    const head = new ByteReader(stream.peek(EXTENSION_HEADER_BYTES).slice(), littleEndian)
    const [bytes, code] = [head.i32(0), head.i32(4)]
    if (bytes < EXTENSION_HEADER_BYTES || bytes > volumeAt - stream.position) break
    to.add('records', `extension ${i}, code ${code} = ${bytes} bytes #${await digestOfStream(stream.chunks(bytes))}`)
  }
  const bytes = volumeAt - stream.position
  if (bytes > 0) to.add('trailing_bytes', `before the volume = ${bytes} bytes #${await digestOfStream(stream.chunks(bytes))}`)
}

/** Adds the files of an archive. Their checksums stand for the content, which the codec compares. */
async function addMembers(source: Source, to: InventoryBuilder, signal: AbortSignal): Promise<void> {
  const { members, comment } = await openZip(source, 'nifti', signal)
  if (comment !== '') to.add('archive_comments', comment)
  for (const { name, bytes, crc32, comment: ofMember } of members) {
    to.add('members', `${name} = ${bytes} bytes, CRC-32 ${crc32.toString(16).padStart(8, '0')}`)
    if (ofMember !== '') to.add('archive_comments', `${name} = ${ofMember}`)
  }
}
