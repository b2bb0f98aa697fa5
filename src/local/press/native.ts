/** FFmpeg as codecs use it: the press process reads and writes files, and its parent runs the program. */

import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { message } from '../../core/i18n/message.ts'
import { overBudget, unsupported } from '../../core/model/error.ts'
import type {
  ExternalEncodeRequest,
  ExternalFilmCodec,
  ExternalFilmFigures,
  ExternalMeasureRequest,
} from '../../core/model/external-encoder.ts'
import type { FfmpegRequest } from '../native.ts'
import { LUMA, ORIGINAL, OUT_OF_MEMORY, RESULT, SQUARED_ERRORS, STALLED } from '../native-files.ts'

export class PressFfmpeg implements ExternalFilmCodec, Disposable {
  readonly name: string
  readonly #folder: string
  readonly #runProgram: (request: FfmpegRequest) => Promise<unknown>
  /** Contents that this process knows to be in each file, by file name. */
  readonly #fileContents = new Map<string, Uint8Array>()
  #lumaFile: number | undefined

  constructor(name: string, folder: string, runProgram: (request: FfmpegRequest) => Promise<unknown>) {
    this.name = name
    this.#folder = folder
    this.#runProgram = runProgram
  }

  async encode(film: Uint8Array, wanted: ExternalEncodeRequest): Promise<Uint8Array> {
    this.#writeFile(ORIGINAL, film)
    await this.#run({ kind: 'encode', wanted })
    const result = new Uint8Array(readFileSync(join(this.#folder, RESULT)))
    this.#fileContents.set(RESULT, result)
    return result
  }

  async measure(original: Uint8Array, result: Uint8Array, wanted: ExternalMeasureRequest): Promise<ExternalFilmFigures> {
    this.#writeFile(ORIGINAL, original)
    this.#writeFile(RESULT, result)
    this[Symbol.dispose]()
    await this.#run({ kind: 'measure', wanted })
    const lines = readFileSync(join(this.#folder, SQUARED_ERRORS), 'latin1').split('\n').filter(Boolean)
    const peak = wanted.bits === 10 ? 1023 : 255
    const file = openSync(join(this.#folder, LUMA), 'r')
    this.#lumaFile = file
    return {
      mse: lines.map((line) => Number(/ mse_y:([\d.]+)/.exec(line)?.[1] ?? Number.NaN) * (255 / peak) ** 2),
      luma(offset, length) {
        const bytes = new Uint8Array(length)
        if (readSync(file, bytes, 0, length, offset) !== length) throw unsupported('frames_program_does_not_decode')
        return bytes
      },
    }
  }

  /** Frees the frames of the last comparison. */
  [Symbol.dispose](): void {
    if (this.#lumaFile !== undefined) closeSync(this.#lumaFile)
    this.#lumaFile = undefined
    rmSync(join(this.#folder, LUMA), { force: true })
  }

  /** Runs FFmpeg. @throws CodecError (over_budget, unsupported_feature) if it fails, because the cause is the file */
  async #run(request: FfmpegRequest): Promise<void> {
    const error = await this.#runProgram(request)
    if (error === STALLED || OUT_OF_MEMORY.test(String(error))) throw overBudget(message('program_needs_more_memory', { name: this.name }))
    if (error !== undefined) throw unsupported(message('of_named', { name: this.name, what: String(error) }))
  }

  #writeFile(name: string, film: Uint8Array): void {
    if (this.#fileContents.get(name) === film) return
    writeFileSync(join(this.#folder, name), film)
    this.#fileContents.set(name, film)
  }
}
