/** The FFmpeg of this machine, for films that Whittle has no engine for. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExternalFilmCodec } from '../../../src/core/model/external-encoder.ts'
import { FfmpegRun, findFfmpegSync } from '../../../src/local/native.ts'
import { PressFfmpeg } from '../../../src/local/press/native.ts'

/** Limits of FFmpeg, enough to compare some seconds of film. */
const LIMITS = { memoryBytes: 2 ** 31, processorMs: 900_000, stalledMs: 120_000 }

/** FFmpeg with a temporary folder, if it is installed with x264 and x265. */
export function openFfmpeg(): ({ readonly film: ExternalFilmCodec } & Disposable) | undefined {
  const program = findFfmpegSync(undefined)
  if (!program) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'whittle-ffmpeg-'))
  const film = new PressFfmpeg(program.name, folder, (request) => new FfmpegRun(program, request, folder, LIMITS).ended)
  return {
    film,
    [Symbol.dispose]() {
      film[Symbol.dispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
