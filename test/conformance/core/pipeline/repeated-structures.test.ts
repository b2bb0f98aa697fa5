/** Twice as much of the same takes about twice the work, whatever is repeated: nothing is read again for each of its siblings. */
import { expect, it } from 'vitest'
import { repeatedJob } from '../../../support/press-repeated.ts'
import { REPEATED, type Repeated } from '../../../support/repeated.ts'
import { countWork } from '../../../support/work.ts'

const MOST_RATIO = 2.2
/** Below this, what a file takes that has none of them is most of what is counted. */
const LEAST_WORK = 200_000
const MOST_TIMES = 64
/** What is done again for each sibling shows at every doubling; another way that a codec takes from some size on shows at one. */
const MOST_DOUBLINGS = 4

const workFor = async (repeated: Repeated, times: number) => countWork(await repeatedJob(repeated, times))

it.each(REPEATED.map((repeated) => [`${repeated.format}: ${repeated.what}`, repeated] as const))(
  '%s',
  async (_, repeated) => {
    let { times } = repeated
    let once = await workFor(repeated, times)
    while (once < LEAST_WORK && times < repeated.times * MOST_TIMES) once = await workFor(repeated, (times *= 2))
    const counted = [once]
    for (let doublings = 0; doublings < MOST_DOUBLINGS; doublings++) {
      const before = counted.at(-1)!
      counted.push(await workFor(repeated, (times *= 2)))
      if (counted.at(-1)! <= MOST_RATIO * before) return
    }
    expect.fail(`twice as many, again and again, to ${times} of them, take ${counted}`)
  },
  120_000,
)

it('there are thirty of them, of every kind of container', () => {
  expect(REPEATED.length).toBeGreaterThanOrEqual(30)
  expect(new Set(REPEATED.map(({ format }) => format)).size).toBeGreaterThanOrEqual(18)
})
