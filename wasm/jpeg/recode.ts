import { EngineError } from '../engine-error.ts'
import { Engine, type FileRange, type JpegInput } from './engine.ts'

/** Lossless recompression: the same coefficients in progressive scans. */
export interface Recoded {
  /** Bytes from SOI to EOI with tables, frame header and scans, without the segments of the file. */
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
  readonly endOffset: number
  readonly lateSegments: readonly FileRange[]
}

export interface RecodeLimits {
  /** Most bytes of the engine's memory and its output together. */
  readonly mostBytes: number
  /** Most bytes of packed coefficients, because decoders of progressive files must store all of them. */
  readonly mostPacked: number
}

/** Codes of the intake modes in src/intake.h. */
const INTAKE = { script: 4, recode: 5 } as const
const END = new Uint8Array([0xff, 0xd9])

/**
 * Recompresses a sequential JPEG by reading it three times. The output equals `JpegJob.write('read', 'progressive')`, but coefficients are
 * not stored. @throws EngineError `memory` if a limit is exceeded
 */
export async function recode(read: () => JpegInput, { mostBytes, mostPacked }: RecodeLimits): Promise<Recoded> {
  const engine = new Engine()
  try {
    const { exports } = engine
    exports.read_begin()
    exports.intake_mode(INTAKE.script, 1)
    await engine.pushAll(read())
    const scanChunks: Uint8Array[][] = Array.from({ length: exports.recode_next() + 1 }, () => [])
    exports.read_again()
    exports.intake_mode(INTAKE.recode, 1)
    await engine.pushAll(read())
    if (exports.recode_packed() > mostPacked) throw tooLarge()
    let bytes = END.length
    engine.writeTo((chunk) => {
      bytes += chunk.length
      if (engine.memoryBytes + bytes > mostBytes) throw tooLarge()
      scanChunks[exports.lane_written()]?.push(chunk)
    })
    exports.recode_next()
    exports.read_again()
    await engine.pushAll(read())
    exports.recode_end()
    return { chunks: [...scanChunks.flat(), END], bytes, endOffset: exports.end_offset(), lateSegments: engine.lateSegments }
  } finally {
    engine.close()
  }
}

const tooLarge = () => new EngineError('jpeg', 'memory', 'the result does not fit into the memory budget')
