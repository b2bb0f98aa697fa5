/** Codings of streams by their type and descriptors (ISO/IEC 13818-1, table 2-34; ETSI EN 300 468, 6.1; ATSC A/52, annex A). */
import { latin1Of } from '../../bytes/latin1.ts'
import type { Descriptor, ProgramMap, ProgramStream } from './sections.ts'

/** Coding that becomes a track. */
export type StreamCoding = 'h264' | 'hevc' | 'mpeg-video' | 'adts' | 'mpeg-audio' | 'ac3'

/** `track`: it becomes one. `refused`: pictures or sound that Whittle does not move. `data`: anything else. */
export type StreamKind =
  | { readonly kind: 'track'; readonly coding: StreamCoding }
  | { readonly kind: 'refused'; readonly name: string }
  | { readonly kind: 'data' }

const track = (coding: StreamCoding): StreamKind => ({ kind: 'track', coding })
const refused = (name: string): StreamKind => ({ kind: 'refused', name })
const DATA: StreamKind = { kind: 'data' }

const BY_TYPE: ReadonlyMap<number, StreamKind> = new Map([
  [0x01, track('mpeg-video')],
  [0x02, track('mpeg-video')],
  [0x03, track('mpeg-audio')],
  [0x04, track('mpeg-audio')],
  [0x0f, track('adts')],
  [0x10, refused('MPEG-4 Visual')],
  [0x11, refused('AAC in LATM')],
  [0x1b, track('h264')],
  [0x1c, refused('MPEG-4 sound')],
  [0x1e, refused('MPEG-C pictures')],
  [0x1f, refused('SVC')],
  [0x20, refused('MVC')],
  [0x21, refused('JPEG 2000')],
  [0x24, track('hevc')],
  [0x25, refused('HEVC sublayer')],
  [0x2d, refused('MPEG-H sound')],
  [0x2e, refused('MPEG-H sound')],
  [0x33, refused('VVC')],
  [0x42, refused('AVS')],
  [0xd1, refused('Dirac')],
  [0xd2, refused('AVS2')],
  [0xea, refused('VC-1')],
])

/** Types from 0x80 on, in files of ATSC and of most programs. */
const ATSC: ReadonlyMap<number, StreamKind> = new Map([
  [0x80, refused('DigiCipher pictures')],
  [0x81, track('ac3')],
  [0x87, track('ac3')],
])

/** Types from 0x80 on in files of Blu-ray discs and AVCHD cameras. */
const BLU_RAY: ReadonlyMap<number, StreamKind> = new Map([
  [0x80, refused('LPCM')],
  [0x81, track('ac3')],
  [0x82, refused('DTS')],
  [0x83, refused('TrueHD')],
  [0x84, track('ac3')],
  [0x85, refused('DTS-HD')],
  [0x86, refused('DTS-HD')],
  [0xa1, track('ac3')],
  [0xa2, refused('DTS-HD')],
])

const PRIVATE = 0x06
const [REGISTRATION, AC3, EAC3, DTS, AAC, EXTENSION] = [0x05, 0x6a, 0x7a, 0x7b, 0x7c, 0x7f]

/** Private streams by their registration. */
const REGISTERED: { readonly [name: string]: StreamKind | undefined } = {
  'AC-3': track('ac3'),
  EAC3: track('ac3'),
  HEVC: track('hevc'),
  Opus: refused('Opus'),
  BSSD: refused('LPCM (SMPTE 302M)'),
  DTS1: refused('DTS'),
  DTS2: refused('DTS'),
  DTS3: refused('DTS'),
  'AC-4': refused('AC-4'),
  'VC-1': refused('VC-1'),
  drac: refused('Dirac'),
  AV01: refused('AV1'),
}

const registrationIn = (descriptors: readonly Descriptor[]): string =>
  latin1Of((descriptors.find(({ tag }) => tag === REGISTRATION)?.body ?? new Uint8Array()).subarray(0, 4))

export function kindOfStream({ type, descriptors }: ProgramStream, map: ProgramMap): StreamKind {
  const has = (tag: number) => descriptors.some((one) => one.tag === tag)
  const own = registrationIn(descriptors)
  if (type === PRIVATE) {
    if (has(AC3) || has(EAC3)) return track('ac3')
    if (has(DTS)) return refused('DTS')
    if (has(AAC)) return refused('AAC in LATM')
    // DVB names further codings of sound in an extension descriptor.
    const extended = descriptors.find(({ tag, body }) => tag === EXTENSION && [0x0e, 0x0f, 0x15].includes(body[0] ?? 0))
    return REGISTERED[own] ?? (extended ? refused('DTS or AC-4') : DATA)
  }
  if (type < 0x80) return BY_TYPE.get(type) ?? DATA
  if (registrationIn(map.descriptors) === 'HDMV' || own === 'HDMV') return BLU_RAY.get(type) ?? BY_TYPE.get(type) ?? DATA
  return REGISTERED[own] ?? ATSC.get(type) ?? BY_TYPE.get(type) ?? DATA
}

/** Language of a stream (ISO 639-2). Empty: none. */
export function languageOf({ descriptors }: ProgramStream): string {
  const body = descriptors.find(({ tag }) => tag === 0x0a)?.body
  const letters = body ? latin1Of(body.subarray(0, 3)).toLowerCase() : ''
  return /^[a-z]{3}$/.test(letters) && letters !== 'und' ? letters : ''
}
