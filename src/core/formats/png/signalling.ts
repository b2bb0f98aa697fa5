/** Reads the colour signalling of a PNG: cICP, the `cicp` tag of its ICC profile, mDCV, cLLI and gain maps. */

import { inflateZlib } from '../../bytes/inflate-stream.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type ColourSignalling, HLG, isHdr, PQ } from '../../images/raster/colour-signalling.ts'
import type { PngChunk, PngFile } from './file.ts'

const MOST_PROFILE_BYTES = 4 * 1024 * 1024
/** Default colour signalling of a PNG: sRGB (H.273). */
const SRGB = { primaries: 1, transfer: 13, fullRange: true }

type Items = Pick<PngFile, 'items'>

export const chunkOf = ({ items }: Items, ...types: readonly string[]): PngChunk | undefined =>
  items.find((item) => 'type' in item && types.includes(item.type)) as PngChunk | undefined

/** Code points and light levels of the file. `undefined`: it has none. cICP has priority over a profile (W3C PNG, 11.3.2.6). */
export function signallingOf(file: Items): ColourSignalling | undefined {
  const points = codePoints(file)
  const light = lightOf(file)
  return points || light.mastering || light.lightLevel ? { ...SRGB, ...points, ...light } : undefined
}

function codePoints(file: Items) {
  const cicp = chunkOf(file, 'cICP')?.data
  if (cicp?.length === 4) return { primaries: cicp[0]!, transfer: cicp[1]!, fullRange: cicp[3] === 1 }
  const profile = chunkOf(file, 'iCCP')?.data
  return profile && profilePoints(profile)
}

function lightOf(file: Items) {
  // PNG files from before the final Third Edition of the standard spell these chunk types with a lower-case last letter.
  const mastering = chunkOf(file, 'mDCV', 'mDCv')?.data
  const lightLevel = chunkOf(file, 'cLLI', 'cLLi')?.data
  return { ...(mastering?.length === 24 && { mastering }), ...(lightLevel?.length === 8 && { lightLevel }) }
}

/** Code points of an ICC profile: its `cicp` tag (ICC.1:2022, 9.2.17), or a profile name that browsers recognise. */
function profilePoints(chunk: Uint8Array) {
  const nameEnd = chunk.indexOf(0)
  const name = latin1Of(chunk.subarray(0, Math.max(0, nameEnd)))
  const profile = inflated(chunk.subarray(nameEnd + 2))
  const tag = profile && cicpTag(profile)
  if (tag) return tag
  if (!/2100/.test(name)) return undefined
  if (/PQ/i.test(name)) return { primaries: 9, transfer: PQ, fullRange: true }
  return /HLG/i.test(name) ? { primaries: 9, transfer: HLG, fullRange: true } : undefined
}

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateZlib(bytes, MOST_PROFILE_BYTES)
  } catch {
    return undefined // ignore a damaged profile
  }
}

/** Most tags of a profile that are read. Real profiles have a dozen; more means damage. */
const MOST_TAGS = 100

function cicpTag(profile: Uint8Array) {
  if (profile.length < 132) return undefined
  const reader = new ByteReader(profile, false)
  const count = Math.min(MOST_TAGS, reader.u32(128))
  for (let at = 132; at + 12 <= Math.min(profile.length, 132 + 12 * count); at += 12) {
    if (latin1Of(profile.subarray(at, at + 4)) !== 'cicp') continue
    const data = reader.u32(at + 4)
    if (data + 12 > profile.length) return undefined
    return { primaries: profile[data + 8]!, transfer: profile[data + 9]!, fullRange: profile[data + 11] === 1 }
  }
  return undefined
}

/** Transfer characteristics of linear light (H.273, table 3). */
const LINEAR = 8
/** Range of `gAMA` values that mean linear light (about 1; W3C PNG, 11.3.2.2), in units of 0.00001. */
const LINEAR_GAMMA = { least: 90_000, most: 111_000 }

/** True if samples are proportional to light. At 8 bits they would show banding in shadows, which a score for sRGB does not detect. */
export function isLinearLight(file: Items): boolean {
  const points = codePoints(file)
  if (points) return points.transfer === LINEAR
  const gamma = chunkOf(file, 'gAMA')?.data
  if (gamma?.length !== 4 || chunkOf(file, 'iCCP', 'sRGB')) return false
  const value = new ByteReader(gamma, false).u32(0)
  return value >= LINEAR_GAMMA.least && value <= LINEAR_GAMMA.most
}

/** Chunks of a gain map, which turns an SDR picture into an HDR one (proposals of Skia and libpng). */
export const GAIN_MAP_CHUNKS = ['gmAP', 'gDAT'] as const

/** Kind of HDR for the receipt. `undefined`: the picture is SDR. */
export function hdrOf(file: Items): string | Message | undefined {
  if (chunkOf(file, ...GAIN_MAP_CHUNKS)) return message('gain_map')
  const signalling = signallingOf(file)
  if (!signalling) return undefined
  if (isHdr(signalling)) return signalling.transfer === PQ ? 'PQ' : 'HLG'
  return signalling.mastering || signalling.lightLevel ? message('light_levels_of_hdr_display') : undefined
}
