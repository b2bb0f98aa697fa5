/** Names of streams by type and descriptors (ISO/IEC 13818-1, table 2-34; ETSI EN 300 468, table 12). */
import { nameAt } from '../media/numbers.ts'
import { type Described, registration } from './packets.ts'

export type Coding = 'h264' | 'hevc' | 'mpeg' | 'adts' | 'mpeg audio' | 'ac3'

const CODINGS: { readonly [type: number]: Coding | undefined } = {
  1: 'mpeg',
  2: 'mpeg',
  3: 'mpeg audio',
  4: 'mpeg audio',
  15: 'adts',
  27: 'h264',
  36: 'hevc',
  129: 'ac3',
  135: 'ac3',
}
const DISC: { readonly [type: number]: Coding | undefined } = { 129: 'ac3', 132: 'ac3', 135: undefined, 161: 'ac3' }
const [PRIVATE, LANGUAGE] = [6, 10]
const has = ({ descriptors }: Described, ...tags: number[]) => descriptors.some(([tag]) => tags.includes(tag))

/** Coding of pictures and sound. `undefined`: data, or a coding without a name here. */
export function codingOf(stream: Described): Coding | undefined {
  const own = registration(stream.descriptors)
  if (stream.type === PRIVATE)
    return own === 'HEVC' ? 'hevc' : has(stream, 0x6a, 0x7a) || own === 'AC-3' || own === 'EAC3' ? 'ac3' : undefined
  const isDisc = stream.program === 'HDMV' || own === 'HDMV'
  return isDisc && stream.type >= 128 ? DISC[stream.type] : CODINGS[stream.type]
}

export const isVideo = (coding: Coding): boolean => coding === 'h264' || coding === 'hevc' || coding === 'mpeg'

/** Tables with fixed PIDs. */
const TABLES: { readonly [pid: number]: string | undefined } = {
  1: 'conditional access',
  16: 'network',
  17: 'service description',
  18: 'events',
  19: 'running status',
  20: 'time',
  31: 'selection',
}
const TYPES: { readonly [type: number]: string | undefined } = {
  5: 'sections',
  6: 'private',
  13: 'DSM-CC',
  21: 'metadata',
  134: 'splice information',
}

/** Name of a PID that becomes no track, and true if it has subtitles. */
export function otherName(pid: number, stream: Described | undefined): readonly [name: string, isSubtitle: boolean] {
  if (!stream) return [TABLES[pid] ?? 'not described', false]
  if (stream.type === PRIVATE && has(stream, 0x59)) return ['DVB subtitles', true]
  if (stream.type === PRIVATE && has(stream, 0x56, 0x46)) return ['teletext', true]
  if (stream.program === 'HDMV' && (stream.type === 144 || stream.type === 146)) return ['Blu-ray subtitles', true]
  return [TYPES[stream.type] ?? `type ${stream.type}`, false]
}

/** Language of three letters. Empty: none. */
export function languageOf({ descriptors }: Described): string {
  const letters = nameAt(descriptors.find(([tag]) => tag === LANGUAGE)?.[1] ?? new Uint8Array(), 0, 3).toLowerCase()
  return /^[a-z]{3}$/.test(letters) && letters !== 'und' ? letters : ''
}
