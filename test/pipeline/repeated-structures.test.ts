/** Twice as much of the same takes about twice the work, whatever is repeated: nothing is read again for each of its siblings. */
import { expect, it } from 'vitest'
import type { Options } from '../../src/codec/codec.ts'
import { MEDIA_CODECS } from '../../src/formats/media.ts'
import { PRESS_CODECS } from '../../src/formats/press.ts'
import { lendCodecs } from '../../src/pipeline/inner.ts'
import { pressFile } from '../support/press-file.ts'
import { REPEATED, type Repeated } from '../support/repeated.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }
const MOST_RATIO = 2.2
/** Below this, caches that fill and code that warms up are most of what is measured. */
const LEAST_CPU_MS = 60
const MOST_TIMES = 64
/** Work that is done again for each sibling shows every time; a collection of garbage, or a busy machine, does not. */
const ATTEMPTS = 6

/** Milliseconds of the processor, not of the clock. */
async function cpuOf({ format, output, make }: Repeated, times: number): Promise<number> {
  const codec = CODECS[format]!
  const bytes = await make(times)
  const base = { quality: 'medium', output: output ?? codec.format.outputs[0], memoryBudget: 96 * 1024 * 1024 } as const
  const options: Omit<Options, 'inner'> = { ...base, signal: new AbortController().signal, progress: () => undefined }
  const before = process.cpuUsage()
  await pressFile(codec, bytes, 'a', { output: base.output, inner: lendCodecs(CODECS, options) })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

it.each(REPEATED.map((repeated) => [`${repeated.format}: ${repeated.what}`, repeated] as const))(
  '%s',
  async (_, repeated) => {
    let { times } = repeated
    let once = await cpuOf(repeated, times)
    while (once < LEAST_CPU_MS && times < repeated.times * MOST_TIMES) once = await cpuOf(repeated, (times *= 2))
    // Where the codec gives up, or hardly works at 64 times as much, nothing grows.
    if (once < LEAST_CPU_MS) return
    const ratios: number[] = []
    while (ratios.length < ATTEMPTS) {
      const [one, two] = [await cpuOf(repeated, times), await cpuOf(repeated, 2 * times)]
      once = Math.min(once, one)
      ratios.push(two / one)
      if (two <= MOST_RATIO * one) return
    }
    // Three doublings at once: what a collection of garbage adds is little of that, what is done again for each sibling is eight times.
    const eightTimes = await cpuOf(repeated, 8 * times)
    if (eightTimes <= MOST_RATIO ** 3 * once) return
    ratios.push(eightTimes / once)
    expect.fail(
      `${repeated.format}, ${repeated.what}: ${times} and twice as many took the times (the last is of eight times as many) ${ratios.map((ratio) => ratio.toFixed(2))}`,
    )
  },
  120_000,
)

it('there are thirty of them, of every kind of container', () => {
  expect(REPEATED.length).toBeGreaterThanOrEqual(30)
  expect(new Set(REPEATED.map(({ format }) => format)).size).toBeGreaterThanOrEqual(18)
})
