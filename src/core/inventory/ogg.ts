/** Inventory of Ogg files (RFC 3533): streams, comments, covers, and the last position of each stream. Packets of sound are not read. */
import { concat } from '../bytes/concat.ts'
import { message } from '../i18n/message.ts'
import { overBudget } from '../model/error.ts'
import type { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { be64, le32, le64, nameAt, seconds } from './media/numbers.ts'
import { describeFirst, describeHeader, type StreamFacts } from './ogg/headers.ts'
import type { ChunkTarget } from './riff/content.ts'

export const ogg: InventoryReader = mediaReader('ogg', readStreams)

const PAGE_HEADER_BYTES = 27
const FIRST = 2
/** Most bytes of header packets in memory, and most streams that a reader follows. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024
const MAX_STREAMS = 10_000

/** State of one logical stream. */
interface Stream {
  readonly facts: StreamFacts
  readonly target: ChunkTarget
  /** Parts of a header packet that is not complete. `undefined`: all header packets are read. */
  parts: Uint8Array[] | undefined
  headers: number
  /** Last position. `undefined`: no page told one. */
  position: number | undefined
}

interface Page {
  readonly flags: number
  readonly position: number | undefined
  readonly serial: number
  readonly lacing: Uint8Array
  readonly bodyAt: number
  readonly end: number
}

async function readStreams({ view, items, signal }: Reading): Promise<void> {
  const streams = new Map<number, Stream>()
  const all: Stream[] = []
  let headerBytes = 0
  for (let at = 0; at < view.size; ) {
    signal.throwIfAborted()
    const page = await pageAt(view, at)
    at = page.end
    let stream = streams.get(page.serial)
    if (page.flags & FIRST) {
      if (all.length >= MAX_STREAMS) throw overBudget(message('inventory_too_large', { items: MAX_STREAMS }))
      const first = (await view.bytes(page.bodyAt, page.end - page.bodyAt)).slice()
      const facts = describeFirst(first, items)
      stream = {
        facts,
        target: { view, items, seen: new Set() },
        parts: facts.headers === 1 ? undefined : [],
        headers: 1,
        position: undefined,
      }
      streams.set(page.serial, stream)
      all.push(stream)
    } else if (stream?.parts) {
      headerBytes += page.end - page.bodyAt
      if (headerBytes > MAX_HEADER_BYTES) throw overBudget(message('inventory_too_large', { items: MAX_HEADER_BYTES }))
      readHeaders(stream, (await view.bytes(page.bodyAt, page.end - page.bodyAt)).slice(), page.lacing)
    }
    if (stream) stream.position = page.position ?? stream.position
  }
  for (const stream of all) describeEnd(stream, items)
}

async function pageAt(view: FileView, at: number): Promise<Page> {
  const head = (await view.bytes(at, PAGE_HEADER_BYTES)).slice()
  if (nameAt(head, 0) !== 'OggS') throw view.malformed(at)
  const lacing = (await view.bytes(at + PAGE_HEADER_BYTES, head[26]!)).slice()
  const bodyAt = at + PAGE_HEADER_BYTES + lacing.length
  const end = bodyAt + lacing.reduce((sum, length) => sum + length, 0)
  if (end > view.size) throw view.malformed(at)
  // All ones: no packet ends on this page.
  const position = be64(head, 6) === 2 ** 64 ? undefined : le64(head, 6)
  return { flags: head[5]!, position, serial: le32(head, 14), lacing, bodyAt, end }
}

function readHeaders(stream: Stream, body: Uint8Array, lacing: Uint8Array): void {
  let at = 0
  for (const length of lacing) {
    if (!stream.parts) return
    stream.parts.push(body.subarray(at, at + length))
    at += length
    if (length === 255) continue
    const isLast = describeHeader(concat(stream.parts), stream.headers++, stream.facts, stream.target)
    stream.parts = isLast ? undefined : []
  }
}

function describeEnd({ facts: { hertz, skipped = 0, name }, position }: Stream, items: Reading['items']): void {
  if (hertz === undefined || position === undefined) return
  items.add('gapless_data', `end of ${name} = ${position}`)
  if (hertz > 0 && position >= skipped) items.add('durations', `sound = ${seconds((position - skipped) / hertz)} s`)
}
