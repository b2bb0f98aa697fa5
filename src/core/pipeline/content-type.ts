/** Media types of results. Matroska and WebM that hold sound alone, and Ogg with pictures, have another type than their format. */
import { latin1Of } from '../bytes/latin1.ts'
import { type OutputId, outputFacts } from '../catalog/outputs.ts'
import { type ElementHead, headAt, unsignedAt } from '../containers/ebml/element.ts'
import { CLUSTER, EBML, SEGMENT, TRACKS } from '../containers/ebml/matroska.ts'
import type { Source } from '../model/codec.ts'

const SOUND_TYPES: { readonly [Id in OutputId]?: string } = { mkv: 'audio/x-matroska', webm: 'audio/webm' }

/** Returns the media type of a result. `result`: its bytes before encryption. */
export async function contentTypeOf(output: OutputId, result: Source): Promise<string> {
  const { mediaType } = outputFacts(output)
  if (output === 'ogg') return (await hasOggPictures(result)) ? 'video/ogg' : mediaType
  const soundType = SOUND_TYPES[output]
  return soundType && (await holdsSoundAlone(result)) ? soundType : mediaType
}

const TRACK_ENTRY = 0xae
const TRACK_TYPE = 0x83
/** Values of TrackType (RFC 9559, section 5.1.4.1.3). */
const [VIDEO, SOUND] = [1, 2]
const HEAD_BYTES = 12
/** Most elements of the segment in front of its tracks, and most bytes of tracks that are read. */
const MAX_ELEMENTS = 100
const MAX_TRACK_BYTES = 1024 * 1024

/** True if a Matroska file has tracks of sound and none of pictures. False if its tracks cannot be found. */
async function holdsSoundAlone(file: Source): Promise<boolean> {
  let at = 0
  for (let elements = 0; elements < MAX_ELEMENTS; elements++) {
    const head = headAt((await file.read(at, HEAD_BYTES)).slice(), 0, at)
    if (!head || head.id === CLUSTER) return false
    if (head.id === TRACKS && head.bodyBytes !== undefined) {
      const types = trackTypes((await file.read(head.bodyAt, Math.min(head.bodyBytes, MAX_TRACK_BYTES))).slice())
      return types.includes(SOUND) && !types.includes(VIDEO)
    }
    if (head.id === SEGMENT) at = head.bodyAt
    else if (head.bodyBytes === undefined || (elements === 0 && head.id !== EBML)) return false
    else at = head.bodyAt + head.bodyBytes
  }
  return false
}

function trackTypes(tracks: Uint8Array): number[] {
  return childrenOf(tracks, TRACK_ENTRY).flatMap(({ bodyAt, bodyBytes = 0 }) => {
    const entry = tracks.subarray(bodyAt, bodyAt + bodyBytes)
    return childrenOf(entry, TRACK_TYPE).map((type) => unsignedAt(entry, type.bodyAt, Math.min(type.bodyBytes ?? 0, 8)))
  })
}

function childrenOf(body: Uint8Array, id: number): ElementHead[] {
  const found: ElementHead[] = []
  for (let at = 0; at < body.length; ) {
    const head = headAt(body, at)
    if (head?.bodyBytes === undefined) break
    if (head.id === id) found.push(head)
    at = head.bodyAt + head.bodyBytes
  }
  return found
}

/** First pages of an Ogg file: one for each stream (RFC 3533, section 4). */
const OGG_START_BYTES = 64 * 1024
const MAX_STREAMS = 64
const FIRST_PAGE = 2
const PICTURES = ['\x80theora', 'BBCD\0', 'OVP80']

/** True if one of the first pages begins a stream of pictures: Theora, Dirac or VP8. */
async function hasOggPictures(file: Source): Promise<boolean> {
  const head = (await file.read(0, OGG_START_BYTES)).slice()
  let at = 0
  for (let pages = 0; pages < MAX_STREAMS && ((head[at + 5] ?? 0) & FIRST_PAGE) !== 0; pages++) {
    const segments = head[at + 26] ?? 0
    const bodyAt = at + 27 + segments
    const start = latin1Of(head.subarray(bodyAt, bodyAt + 7))
    if (PICTURES.some((name) => start.startsWith(name))) return true
    at = head.subarray(at + 27, bodyAt).reduce((sum, length) => sum + length, bodyAt)
  }
  return false
}
