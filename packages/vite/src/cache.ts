/** Results of earlier builds, by the content of the asset, the settings and the version of the engines. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

/** Bytes of the SHA-256 before each result. */
const HASH_BYTES = 32

const sha256 = (...parts: (string | Uint8Array)[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256'))

export class ResultCache {
  readonly #folder: string
  readonly #settings: string

  constructor(folder: string, settings: object) {
    this.#folder = folder
    this.#settings = JSON.stringify([manifest.dependencies['@whittle-app/core'], settings])
  }

  /** Returns an earlier result. Empty: the asset stays as it is. `undefined`: there is none, or the cached file is damaged. */
  read(asset: Uint8Array): Uint8Array | undefined {
    try {
      const file = new Uint8Array(readFileSync(this.#pathOf(asset)))
      const result = file.subarray(HASH_BYTES)
      return sha256(result).digest().equals(file.subarray(0, HASH_BYTES)) ? result : undefined
    } catch {
      return undefined
    }
  }

  /** @param result `undefined`: the asset stays as it is */
  write(asset: Uint8Array, result: Uint8Array = new Uint8Array()): void {
    const path = this.#pathOf(asset)
    mkdirSync(this.#folder, { recursive: true })
    const temporary = `${path}.${randomUUID()}`
    writeFileSync(temporary, Buffer.concat([sha256(result).digest(), result]))
    renameSync(temporary, path)
  }

  #pathOf = (asset: Uint8Array): string => join(this.#folder, sha256(this.#settings, '\0', asset).digest('hex'))
}
