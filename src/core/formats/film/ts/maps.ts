/** Finds the programs of a transport stream and the streams of each. */
import type { PacketGrid, PacketHeader } from '../../../containers/mpeg-ts/packet.ts'
import { mapIn, type ProgramMap, programsIn, SectionReader } from '../../../containers/mpeg-ts/sections.ts'
import { walkPackets } from '../../../containers/mpeg-ts/walk.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, unsupported } from '../../../model/error.ts'
import { MAP_SEARCH_BYTES, MAX_PROGRAMS, MAX_STREAMS } from './tuning.ts'

const PAT_PID = 0

/** Reads the tables of programs, and checks that they do not change. */
export class MapReader {
  /** Program maps by PID. */
  readonly maps = new Map<number, ProgramMap[]>()
  /** PIDs of program maps. */
  readonly pids = new Set<number>()
  /** Programs without a map so far. */
  readonly missing = new Set<number>()
  readonly #sections = new Map<number, SectionReader>([[PAT_PID, new SectionReader()]])
  readonly #signatures = new Map<number, string>()

  /** Reads a packet if it holds a table. Returns false for other packets. @throws CodecError (unsupported_feature) if a map changes */
  add({ pid, from, to, isStart }: PacketHeader, bytes: Uint8Array): boolean {
    const reader = this.#sections.get(pid)
    if (!reader) return false
    for (const section of reader.add(bytes.subarray(from, to), isStart)) this.#section(pid, section)
    return true
  }

  get isComplete(): boolean {
    return this.#signatures.size > 0 && this.missing.size === 0
  }

  #section(pid: number, section: Uint8Array): void {
    if (pid === PAT_PID) this.#programs(section)
    const map = pid === PAT_PID ? undefined : mapIn(section)
    if (!map) return
    const signature = JSON.stringify(map.streams.map(({ pid: stream, type }) => [stream, type]))
    const known = this.#signatures.get(map.program)
    if (known !== undefined && known !== signature) throw unsupported('ts_map_changes')
    if (known !== undefined) return
    if (map.streams.length > MAX_STREAMS) throw unsupported('ts_too_many_streams')
    this.#signatures.set(map.program, signature)
    this.missing.delete(map.program)
    this.maps.set(pid, [...(this.maps.get(pid) ?? []), map])
  }

  #programs(section: Uint8Array): void {
    for (const { program, pid } of programsIn(section) ?? []) {
      if (pid === PAT_PID || this.#signatures.has(program)) continue
      if (this.pids.size >= MAX_PROGRAMS) throw unsupported('ts_several_programs')
      this.missing.add(program)
      this.pids.add(pid)
      if (!this.#sections.has(pid)) this.#sections.set(pid, new SectionReader())
    }
  }
}

/** @throws CodecError (malformed) if the file has no program map */
export async function programMaps(source: Source, grid: PacketGrid, signal: AbortSignal): Promise<ProgramMap[]> {
  const reader = new MapReader()
  await walkPackets(source, grid, signal, (packet, bytes, offset) => {
    if (!packet.isDamaged && packet.from < packet.to) reader.add(packet, bytes)
    return reader.isComplete || (reader.maps.size > 0 && offset > MAP_SEARCH_BYTES)
  })
  const maps = [...reader.maps.values()].flat()
  if (maps.length === 0) throw malformed('ts', 0, 'ts_no_map')
  return maps
}
