import { message } from '../../../i18n/message.ts'
import { overBudget, unsupported } from '../../../model/error.ts'
import { MAX_CUES } from './tuning.ts'

/**
 * Positions inside clusters to which Cues lead (CueRelativePosition), with a value for each that is found: its new position, or its number.
 * A position counts from the body of its cluster. Clusters are named by their file offset.
 */
export class CueTargets {
  /** Cluster by the sum of its offset and the position. Two clusters cannot have the same sum, because the second begins behind the first. */
  readonly #clusters = new Map<number, number>()
  readonly #values = new Map<number, number>()

  /** @throws CodecError (unsupported_feature) if a position lies outside of its cluster, (over_budget) if there are too many */
  want(clusterAt: number, position: number): void {
    const key = clusterAt + position
    if ((this.#clusters.get(key) ?? clusterAt) !== clusterAt) throw unsupported('mkv_position_leads_nowhere')
    if (this.#clusters.size >= MAX_CUES) throw overBudget(message('mkv_too_many_elements', { most: MAX_CUES }))
    this.#clusters.set(key, clusterAt)
  }

  /** Keeps `value` if Cues lead to `position` of a cluster. */
  found(clusterAt: number, position: number, value: number): void {
    const key = clusterAt + position
    if (this.#clusters.get(key) === clusterAt) this.#values.set(key, value)
  }

  /** @throws CodecError (unsupported_feature) if no element begins there */
  valueAt(clusterAt: number, position: number): number {
    const key = clusterAt + position
    const value = this.#clusters.get(key) === clusterAt ? this.#values.get(key) : undefined
    if (value === undefined) throw unsupported('mkv_position_leads_nowhere')
    return value
  }
}
