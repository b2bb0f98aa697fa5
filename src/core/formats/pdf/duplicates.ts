/** Detection of duplicate streams: streams with equal dictionaries and equal bytes under different object numbers. */

import { sha256Hex } from '../../bytes/digest.ts'
import { hex } from '../../bytes/hex.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { digestOf } from '../../bytes/platform/hashes.ts'
import { Dict, type PdfObject, type Ref, Stream } from './objects.ts'
import type { ObjectNumberList } from './reachable-objects.ts'
import type { Reader } from './reader.ts'
import { serialise } from './serialise.ts'
import { DUPLICATE_ROUNDS, MAX_COMPARED_STREAMS } from './tuning.ts'

const SMALLEST_BYTES = 32

/** Maps the object number of a duplicate to the number of the object that replaces it. */
export class Duplicates {
  private readonly map = new Map<number, number>()
  get count(): number {
    return this.map.size
  }
  set(number: number, original: number): void {
    this.map.set(number, original)
  }
  originalOf(number: number): number {
    return this.map.get(number) ?? number
  }
  /** Replaces `number` by `original`, also in the entries of duplicates that `number` has replaced. */
  redirect(number: number, original: number): void {
    for (const [duplicate, first] of this.map) if (first === number) this.map.set(duplicate, original)
    this.map.set(number, original)
  }
  has(number: number): boolean {
    return this.map.has(number)
  }
}

export async function findDuplicates(reader: Reader, streams: ObjectNumberList, signal: AbortSignal): Promise<Duplicates> {
  const duplicates = new Duplicates()
  if (streams.length > MAX_COMPARED_STREAMS) return duplicates
  const digests = new Map<number, string>()
  for (let round = 0; round < DUPLICATE_ROUNDS; round++) {
    signal.throwIfAborted()
    const groups = await candidateGroups(reader, streams, duplicates)
    const candidates = new Set(groups.flat())
    // Streams are hashed in the order of `streams`, not group by group. In large files this is the order of the file, so reads are
    // sequential.
    for (const number of streams) {
      if (candidates.has(number) && !digests.has(number)) digests.set(number, await streamDigest(reader, number))
    }
    let found = 0
    for (const group of groups) {
      const first = new Map<string, number>()
      for (const number of group) {
        const digest = digests.get(number)!
        const original = first.get(digest)
        if (original === undefined) first.set(digest, number)
        else {
          duplicates.set(number, original)
          found++
        }
      }
    }
    if (found === 0) break
  }
  return duplicates
}

/** Returns groups of two or more streams with equal length and equal dictionary. */
async function candidateGroups(reader: Reader, streams: ObjectNumberList, duplicates: Duplicates): Promise<number[][]> {
  const byKey = new Map<number, number[]>()
  for (const number of streams) {
    if (duplicates.has(number)) continue
    const stream = await reader.get(number)
    if (!(stream instanceof Stream)) continue
    const length = await reader.length(stream)
    if (length < SMALLEST_BYTES) continue
    const key = keyOf(stream.dict, length, duplicates)
    const group = byKey.get(key)
    if (group) group.push(number)
    else byKey.set(key, [number])
  }
  return [...byKey.values()].filter((group) => group.length > 1)
}

/** 48-bit hash of a stream's length and dictionary. It only selects candidates; the SHA-256 digest of the stream bytes decides. */
function keyOf(dict: Dict, length: number, duplicates: Duplicates): number {
  const text = `${length}|${dictionaryText(dict, duplicates)}`
  return Number.parseInt(hex(digestOf('sha1', latin1Bytes(text))).slice(0, 12), 16)
}

function dictionaryText(dict: Dict, duplicates: Duplicates): string {
  const rest = new Dict([...dict].filter(([key]) => key !== 'Length') as [string, PdfObject][])
  return serialise(rest, (ref: Ref) => `${duplicates.originalOf(ref.number)} R`)
}

async function streamDigest(reader: Reader, number: number): Promise<string> {
  const stream = await reader.get(number)
  if (!(stream instanceof Stream)) return `none ${number}`
  return sha256Hex(reader.releasedPieces(stream))
}
