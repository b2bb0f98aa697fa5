import { RpcTarget } from 'cloudflare:workers'
import { MAX_PRESETS, type PresetsApi, type StoredPreset } from '../src/service/store/presets.ts'

const PREFIX = 'preset/'

/** Presets of an account, one stored value each. */
export class PresetTable extends RpcTarget implements PresetsApi {
  readonly #kv: SyncKvStorage

  constructor(kv: SyncKvStorage) {
    super()
    this.#kv = kv
  }

  async find(name: string) {
    return this.#kv.get<StoredPreset>(PREFIX + name)
  }

  async put(name: string, preset: StoredPreset) {
    const isNew = this.#kv.get(PREFIX + name) === undefined
    if (isNew && [...this.#kv.list({ prefix: PREFIX, limit: MAX_PRESETS })].length >= MAX_PRESETS) return false
    this.#kv.put(PREFIX + name, preset)
    return true
  }

  async remove(name: string) {
    return this.#kv.delete(PREFIX + name)
  }
}
