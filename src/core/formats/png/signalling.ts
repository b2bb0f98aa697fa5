/** Colour signalling of a PNG: cICP, or a `cicp` tag in its ICC profile; mDCV and cLLI; gain maps. */

import { inflateSync } from 'node:zlib'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type ColourSignalling, HLG, isHdr, PQ } from '../../images/raster/colour-signalling.ts'
import type { PngChunk, PngFile } from './file.ts'

const MOST_PROFILE_BYTES = 4 * 1024 * 1024
/** sRGB, which holds where a picture names nothing else (H.273). */
const SRGB = { primaries: 1, transfer: 13, fullRange: true }

type Items = Pick<PngFile, 'items'>

export const chunkOf = ({ items }: Items, ...types: readonly string[]): PngChunk | undefined =>
  items.find((item) => 'type' in item && types.includes(item.type)) as PngChunk | undefined

/** What the file says by code points or about its light; undefined: nothing. cICP goes before a profile (W3C PNG, 11.3.2.6). */
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
  // Files made before the third edition was final have a lower-case last letter.
  const mastering = chunkOf(file, 'mDCV', 'mDCv')?.data
  const lightLevel = chunkOf(file, 'cLLI', 'cLLi')?.data
  return { ...(mastering?.length === 24 && { mastering }), ...(lightLevel?.length === 8 && { lightLevel }) }
}

/** Code points of an ICC profile: its `cicp` tag (ICC.1:2022, 9.2.17), or the names that browsers know. */
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
    return new Uint8Array(inflateSync(bytes, { maxOutputLength: MOST_PROFILE_BYTES }))
  } catch {
    return undefined // A damaged profile says nothing.
  }
}

/** Profiles have a dozen tags; more than this is damage. */
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
/** `gAMA` of about 1 (W3C PNG, 11.3.2.2), in hundred-thousandths. */
const LINEAR_GAMMA = { least: 90_000, most: 111_000 }

/** True if samples are proportional to light: eight bits of them show bands in shadows, whatever a score for sRGB says. */
export function isLinearLight(file: Items): boolean {
  const points = codePoints(file)
  if (points) return points.transfer === LINEAR
  const gamma = chunkOf(file, 'gAMA')?.data
  if (gamma?.length !== 4 || chunkOf(file, 'iCCP', 'sRGB')) return false
  const value = new ByteReader(gamma, false).u32(0)
  return value >= LINEAR_GAMMA.least && value <= LINEAR_GAMMA.most
}

/** Chunks of a gain map, which makes an SDR picture an HDR one (as in Skia and libpng's proposals). */
export const GAIN_MAP_CHUNKS = ['gmAP', 'gDAT'] as const

/** How the picture is HDR, for the receipt; undefined: it is not. */
export function hdrOf(file: Items): string | Message | undefined {
  if (chunkOf(file, ...GAIN_MAP_CHUNKS)) return message('gain_map')
  const signalling = signallingOf(file)
  if (!signalling) return undefined
  if (isHdr(signalling)) return signalling.transfer === PQ ? 'PQ' : 'HLG'
  return signalling.mastering || signalling.lightLevel ? message('light_levels_of_hdr_display') : undefined
}
