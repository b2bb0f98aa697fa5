import { EngineError } from '../engine-error.ts'
import { Engine, type JpegInput, type Place } from './engine.ts'

/** The same coefficients in progressive scans. */
export interface Recoded {
  /** Start, tables, frame, scans and end, without the segments of the file. */
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
  readonly endOffset: number
  readonly lateSegments: readonly Place[]
}

export interface RecodeLimits {
  /** What the engine and what it wrote may take together. */
  readonly mostBytes: number
  /** What the coefficients may take packed: whoever reads progressive scans holds them. */
  readonly mostPacked: number
}

/** Of src/intake.h. */
const INTAKE = { script: 4, recode: 5 } as const
const END = new Uint8Array([0xff, 0xd9])

/**
 * Reads a sequential JPEG three times and holds what it writes: the bytes of `JpegJob.write('read', 'progressive')` without the
 * coefficients. Throws `EngineError`: `memory` where a limit is passed.
 */
export async function recode(read: () => JpegInput, { mostBytes, mostPacked }: RecodeLimits): Promise<Recoded> {
  const engine = new Engine()
  try {
    const { exports } = engine
    exports.read_begin()
    exports.intake_mode(INTAKE.script, 1)
    await engine.take(read())
    const lanes: Uint8Array[][] = Array.from({ length: exports.recode_next() + 1 }, () => [])
    exports.read_again()
    exports.intake_mode(INTAKE.recode, 1)
    await engine.take(read())
    if (exports.recode_packed() > mostPacked) throw tooLarge()
    let bytes = END.length
    engine.writeTo((chunk) => {
      bytes += chunk.length
      if (engine.memoryBytes + bytes > mostBytes) throw tooLarge()
      lanes[exports.lane_written()]?.push(chunk)
    })
    exports.recode_next()
    exports.read_again()
    await engine.take(read())
    exports.recode_end()
    return { chunks: [...lanes.flat(), END], bytes, endOffset: exports.end_offset(), lateSegments: engine.lateSegments }
  } finally {
    engine.close()
  }
}

const tooLarge = () => new EngineError('jpeg', 'memory', 'the result does not fit into the memory budget')
