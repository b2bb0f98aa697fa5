import type { LogicalStream } from './logical-stream.ts'
import type { PieceStep } from './verify-steps.ts'

interface State {
  /** True if the result tells the last position that the original told. */
  isLastKept: boolean
  /** True if the result told a position since then that the original did not tell. */
  isNewTold: boolean
}

/**
 * Compares positions at the ends of packets. A result may leave out positions, and tell new ones, where both follow from the samples of the
 * packets. Around other positions, which tell gaps or offsets, it tells what the original tells.
 */
export class PositionCheck {
  readonly #states = new WeakMap<LogicalStream, State>()

  /** Returns a difference at the end of a packet. `undefined`: none. */
  differenceAt(original: PieceStep, { told: found }: PieceStep): string | undefined {
    const { stream, told, counted, isRegular } = original
    const state = this.#states.get(stream) ?? { isLastKept: true, isNewTold: false }
    this.#states.set(stream, state)
    if (told === undefined) {
      if (found === undefined) return undefined
      state.isNewTold = true
      return found === counted ? undefined : `the result tells position ${found} for a packet that ends at ${counted ?? 'an unknown one'}`
    }
    if (found !== undefined && found !== told) return `position ${told} became ${found}`
    if (!isRegular && (found === undefined || !state.isLastKept || state.isNewTold)) return `position ${told}, or the one before, is lost`
    state.isLastKept = found !== undefined
    state.isNewTold = false
    return undefined
  }
}
