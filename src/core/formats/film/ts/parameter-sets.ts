import { equalBytes } from '../../../bytes/equal.ts'
import { unsupported } from '../../../model/error.ts'
import { MAX_PARAMETER_SETS } from './tuning.ts'

/** Parameter sets of a stream, which MP4 stores once for the whole track. */
export class ParameterSets {
  readonly #sets = new Map<string, Uint8Array>()

  /** @throws CodecError (unsupported_feature) if a set replaces a different one, or there are too many */
  add(type: number, id: number, unit: Uint8Array): void {
    const key = `${type} ${id}`
    const known = this.#sets.get(key)
    if (known ? !equalBytes(known, unit) : this.#sets.size >= MAX_PARAMETER_SETS || unit.length > 0xffff)
      throw unsupported('ts_parameters_change')
    if (!known) this.#sets.set(key, unit.slice())
  }

  all(): Uint8Array[] {
    return [...this.#sets.values()]
  }

  /** Sets of a type in the order in which they came. */
  of(type: number): Uint8Array[] {
    return [...this.#sets].filter(([key]) => key.startsWith(`${type} `)).map(([, unit]) => unit)
  }
}
