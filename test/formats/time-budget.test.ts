import { expect, test } from 'vitest'
import type { Options } from '../../src/codec/codec.ts'
import { TimeBudget } from '../../src/codec/time-budget.ts'
import { jpg } from '../../src/formats/jpg/jpg.ts'
import { pptx } from '../../src/formats/office/office.ts'
import { lendCodecs } from '../../src/pipeline/inner.ts'
import { deck } from '../support/deck.ts'
import { partsOf, press } from '../support/packages.ts'

const options: Omit<Options, 'inner'> = {
  quality: 'medium',
  output: 'pptx',
  memoryBudget: 96 * 2 ** 20,
  signal: new AbortController().signal,
  progress: () => undefined,
}

test('pictures for which there is no time left stay as they are, and the receipt says so', async () => {
  const zip = await deck(3, 60_000)
  const before = await partsOf(zip)
  const photographs = [1, 2, 3].map((number) => `ppt/media/image${number}.jpeg`)
  const left = async (time: TimeBudget) => {
    const { outcome, bytes } = await press(pptx, zip, 'medium', lendCodecs({ jpg }, options, 0, time))
    const after = await partsOf(bytes)
    const steps = outcome.kind === 'compressed' ? outcome.steps : []
    return { steps, same: photographs.map((name) => Buffer.compare(before.get(name)!, after.get(name)!) === 0) }
  }
  expect(await left(new TimeBudget())).toMatchObject({ same: [false, false, false] })
  // One of 60,000 pixels takes some 0.02 s.
  const { steps, same } = await left(new TimeBudget(0.03))
  expect(same).toEqual([false, true, true])
  expect(steps).toContain('2 pictures left as they are, for want of processor time')
})
