/** Compares two Ogg files: every packet byte for byte, every position, and the meaning of the header packets. */
import { equalBytes } from '../../bytes/equal.ts'
import type { Options, Source, Verdict } from '../../model/codec.ts'
import { areSameHeaders, isSameFirst } from './verify-headers.ts'
import { PositionCheck } from './verify-positions.ts'
import { type Step, stepsOf } from './verify-steps.ts'

export async function verifyOgg(original: Source, result: Source, options: Options): Promise<Verdict> {
  const { signal, progress } = options
  const left = stepsOf(original, signal, (offset) => progress(0.6 + (0.4 * offset) / original.size))
  const right = stepsOf(result, signal, () => undefined)
  try {
    const difference = await differenceOf(new Side(left), new Side(right), options)
    return difference === undefined ? { equal: true } : { equal: false, difference }
  } finally {
    await left.return()
    await right.return()
  }
}

/** Steps of one file, with the position inside of the current one. */
class Side {
  readonly #steps: AsyncGenerator<Step, void>
  step: Step | undefined
  /** Bytes of the current piece that are compared. */
  at = 0

  constructor(steps: AsyncGenerator<Step, void>) {
    this.#steps = steps
  }

  async advance(): Promise<void> {
    const { value, done } = await this.#steps.next()
    this.step = done ? undefined : value
    this.at = 0
  }

  /** Skips pieces whose packets continue and whose bytes are compared. */
  async skipCompared(): Promise<void> {
    while (this.step?.kind === 'piece' && !this.step.ends && this.at === this.step.bytes.length) await this.advance()
  }
}

async function differenceOf(left: Side, right: Side, options: Options): Promise<string | undefined> {
  const positions = new PositionCheck()
  await left.advance()
  await right.advance()
  for (;;) {
    await left.skipCompared()
    await right.skipCompared()
    const [a, b] = [left.step, right.step]
    if (!a && !b) return undefined
    if (!a || !b) return `the ${a ? 'original' : 'result'} has more packets`
    if (a.stream.serial !== b.stream.serial) return `a packet of stream ${a.stream.serial} became one of stream ${b.stream.serial}`
    if (a.kind !== 'piece' || b.kind !== 'piece') {
      if (!isSameStep(a, b, options)) return `${a.kind} of stream ${a.stream.serial} changed`
      await left.advance()
      await right.advance()
      continue
    }
    const count = Math.min(a.bytes.length - left.at, b.bytes.length - right.at)
    if (!equalBytes(a.bytes.subarray(left.at, left.at + count), b.bytes.subarray(right.at, right.at + count)))
      return `a packet of stream ${a.stream.serial} changed`
    left.at += count
    right.at += count
    if (count > 0) continue
    if (left.at < a.bytes.length || right.at < b.bytes.length) return `the length of a packet of stream ${a.stream.serial} changed`
    const difference = positions.differenceAt(a, b)
    if (difference !== undefined) return difference
    await left.advance()
    await right.advance()
  }
}

/** Compares steps of which at least one is no part of a packet. */
function isSameStep(a: Step, b: Step, { metadata }: Options): boolean {
  if (a.kind === 'piece' || b.kind === 'piece' || a.kind !== b.kind) return false
  if ('position' in a || 'position' in b) return 'position' in a && 'position' in b && a.position === b.position
  const { sound } = a.stream
  if (!sound || b.stream.sound?.codec !== sound.codec) return false
  return a.kind === 'first'
    ? isSameFirst(sound.codec, a.packets[0]!, b.packets[0]!)
    : areSameHeaders(sound.codec, a.packets, b.packets, metadata)
}
