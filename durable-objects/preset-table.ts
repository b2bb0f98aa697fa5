import { MAX_PRESETS, type StoredPreset } from '../src/service/store/presets.ts'

const PREFIX = 'preset/'

/** Presets of an account, one stored value each. */
export class PresetTable {
  readonly #kv: SyncKvStorage

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  find(name: string): StoredPreset | undefined {
    return this.#kv.get<StoredPreset>(PREFIX + name)
  }

  /** Returns `false`, without a change, if the account has `MAX_PRESETS` others. */
  put(name: string, preset: StoredPreset): boolean {
    if (!this.find(name) && [...this.#kv.list({ prefix: PREFIX, limit: MAX_PRESETS })].length >= MAX_PRESETS) return false
    this.#kv.put(PREFIX + name, preset)
    return true
  }

  /** Returns `false` if there is no preset with this name. */
  remove(name: string): boolean {
    return this.#kv.delete(PREFIX + name)
  }
}
