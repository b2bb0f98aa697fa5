/** The program beside the press, as codecs see it: the press writes and reads files, its parent runs the program. */

import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { message } from '../../core/i18n/message.ts'
import { overBudget, unsupported } from '../../core/model/error.ts'
import type { NativeEncode, NativeFigures, NativeFilm, NativeMeasure } from '../../core/model/external-encoder.ts'
import type { NativeRequest } from '../native.ts'
import { ERRORS, LUMA, NO_MEMORY, ORIGINAL, RESULT, STALLED } from '../native-files.ts'

export class PressNative implements NativeFilm, Disposable {
  readonly name: string
  readonly #folder: string
  readonly #ask: (request: NativeRequest) => Promise<unknown>
  /** What the files hold. */
  readonly #there = new Map<string, Uint8Array>()
  #luma: number | undefined

  constructor(name: string, folder: string, ask: (request: NativeRequest) => Promise<unknown>) {
    this.name = name
    this.#folder = folder
    this.#ask = ask
  }

  async encode(film: Uint8Array, wanted: NativeEncode): Promise<Uint8Array> {
    this.#put(ORIGINAL, film)
    await this.#run({ kind: 'encode', wanted })
    const result = new Uint8Array(readFileSync(join(this.#folder, RESULT)))
    this.#there.set(RESULT, result)
    return result
  }

  async measure(original: Uint8Array, result: Uint8Array, wanted: NativeMeasure): Promise<NativeFigures> {
    this.#put(ORIGINAL, original)
    this.#put(RESULT, result)
    this[Symbol.dispose]()
    await this.#run({ kind: 'measure', wanted })
    const lines = readFileSync(join(this.#folder, ERRORS), 'latin1').split('\n').filter(Boolean)
    const peak = wanted.bits === 10 ? 1023 : 255
    const file = openSync(join(this.#folder, LUMA), 'r')
    this.#luma = file
    return {
      mse: lines.map((line) => Number(/ mse_y:([\d.]+)/.exec(line)?.[1] ?? Number.NaN) * (255 / peak) ** 2),
      luma(offset, length) {
        const bytes = new Uint8Array(length)
        if (readSync(file, bytes, 0, length, offset) !== length) throw unsupported('frames_program_does_not_decode')
        return bytes
      },
    }
  }

  /** Frees the frames of the last measurement. */
  [Symbol.dispose](): void {
    if (this.#luma !== undefined) closeSync(this.#luma)
    this.#luma = undefined
    rmSync(join(this.#folder, LUMA), { force: true })
  }

  /** @throws CodecError (over_budget, unsupported_feature): whatever the program says, it is about the file */
  async #run(request: NativeRequest): Promise<void> {
    const trouble = await this.#ask(request)
    if (trouble === STALLED || NO_MEMORY.test(String(trouble))) throw overBudget(message('program_needs_more_memory', { name: this.name }))
    if (trouble !== undefined) throw unsupported(message('of_named', { name: this.name, what: String(trouble) }))
  }

  #put(name: string, film: Uint8Array): void {
    if (this.#there.get(name) === film) return
    writeFileSync(join(this.#folder, name), film)
    this.#there.set(name, film)
  }
}
