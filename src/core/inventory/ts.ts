/** Inventory of transport streams in the words of MP4, which they become. */

import type { InventoryReader } from './inventory.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { seconds } from './media/numbers.ts'
import { ShownSpan } from './media/shown-span.ts'
import { type Coding, codingOf, isVideo, languageOf, otherName } from './ts/kinds.ts'
import { packetsOf, Tables } from './ts/packets.ts'
import { channelsIn, describePictures } from './ts/start.ts'

export const ts: InventoryReader = mediaReader('ts', readFile)

/** Content of a PID. */
interface Content {
  packets: number
  /** First bytes of content, PES headers included, and their number. */
  readonly start: Uint8Array
  filled: number
  readonly span: ShownSpan
  last: number | undefined
}

const START_BYTES = 16 * 1024
/** Most streams whose content is described. Whittle converts fewer. */
const MAX_DESCRIBED = 64

const newContent = (isDescribed: boolean): Content => ({
  packets: 0,
  start: new Uint8Array(isDescribed ? START_BYTES : 0),
  filled: 0,
  span: new ShownSpan(),
  last: undefined,
})

const [TICKS, WRAP] = [90_000, 2 ** 33]

async function readFile({ view, items }: Reading): Promise<void> {
  const tables = new Tables()
  const contents = new Map<number, Content>()
  for await (const packet of packetsOf(view)) {
    const { pid, isStart, payload } = packet
    if (tables.pids.has(pid)) {
      tables.add(packet)
      continue
    }
    const content = contents.get(pid) ?? newContent(tables.streams.has(pid) && contents.size < MAX_DESCRIBED)
    contents.set(pid, content)
    content.packets++
    // What precedes the first start of a packet is part of a frame.
    if (isStart || content.filled > 0) {
      const part = payload.subarray(0, content.start.length - content.filled)
      content.start.set(part, content.filled)
      content.filled += part.length
    }
    const time = isStart ? timeIn(payload) : undefined
    if (time !== undefined) addTime(content, time)
  }
  if (tables.streams.size === 0) throw view.malformed(0)
  describeTracks(items, tables, contents)
}

/** Display time in the header of a PES packet. `undefined`: none. */
function timeIn(b: Uint8Array): number | undefined {
  const hasTime = b.length >= 14 && b[0] === 0 && b[1] === 0 && b[2] === 1 && (b[6]! & 0xc0) === 0x80 && (b[7]! & 0x80) !== 0
  if (!hasTime) return undefined
  return ((b[9]! >> 1) & 7) * 2 ** 30 + (b[10]! << 22) + ((b[11]! >> 1) << 15) + (b[12]! << 7) + (b[13]! >> 1)
}

/** Times start again from 0 after 2^33. */
function addTime(content: Content, time: number): void {
  const last = content.last ?? time
  const turns = Math.round((last - time) / WRAP)
  content.last = time + turns * WRAP
  content.span.add(content.last)
}

function describeTracks(items: Reading['items'], { streams }: Tables, contents: ReadonlyMap<number, Content>): void {
  const counts = { video: 0, audio: 0 }
  const order = [...streams.keys(), ...[...contents.keys()].filter((pid) => !streams.has(pid)).sort((a, b) => a - b)]
  for (const pid of order) {
    const [stream, content] = [streams.get(pid), contents.get(pid)]
    if (!content) continue
    const coding = stream && codingOf(stream)
    if (!stream || !coding) {
      const [what, isSubtitle] = otherName(pid, stream)
      const language = stream ? languageOf(stream) : ''
      items.add(
        isSubtitle ? 'subtitle_tracks' : 'other_tracks',
        `PID ${pid} ${[what, language].join(' ').trim()} = ${content.packets} packets`,
      )
      continue
    }
    const kind = isVideo(coding) ? 'video' : 'audio'
    const name = `${kind} ${counts[kind]++}`
    items.add(`${kind}_tracks`, name)
    const language = languageOf(stream)
    if (language !== '') items.add('languages', `${name} = ${language}`)
    describeContent(items, name, content, coding)
  }
}

function describeContent(items: Reading['items'], name: string, { start: all, filled, span }: Content, coding: Coding): void {
  const start = all.subarray(0, filled)
  if (!isVideo(coding)) {
    const channels = channelsIn(start, coding)
    if (channels) items.add('sound_format', `${name} = ${channels} channels`)
    return
  }
  describePictures(items, name, start, coding)
  if (span.length !== undefined) items.add('durations', `${name} = ${seconds(span.length / TICKS)} s`)
}
