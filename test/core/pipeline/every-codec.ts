/**
 * Tests every codec with small files of its format at every level: the result is smaller, keeps the floors, the levels are in order, and
 * verification detects damage. promises.test.ts tests codecs that lie on purpose.
 */
import { describe, expect, it } from 'vitest'
import { FLOOR_PSNR_DB, FLOOR_SNR_DB, FLOOR_SSIM } from '../../../src/core/catalog/floors.ts'
import { FORMATS, type FormatId } from '../../../src/core/catalog/index.ts'
import { holdsFile, outputFacts } from '../../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import type { Codec, Options, Outcome, Quality, Reason, Verdict } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { generatedOnce } from '../../support/generated.ts'
import { GENERATORS, type Generated } from '../../support/generators.ts'
import { expectReadersAgree } from '../../support/independent/agree.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { fewOf } from '../../support/thorough.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }
const IDS = Object.keys(FORMATS) as FormatId[]
/** Formats that never become smaller as themselves, with the reason: LAZ is as small as possible, and there is no encoder for HEIC. */
const NEVER_GAINS: { readonly [Id in FormatId]?: Reason } = { laz: 'no_gain', heic: 'unsupported_feature' }
const neverGains = (id: FormatId, { output }: Generated) => output === undefined && NEVER_GAINS[id] !== undefined
const FLIPS = 12

function codecOf(id: FormatId): Codec {
  const codec = CODECS[id]
  if (!codec) throw new Error(`${id} has no codec`)
  return codec
}

/** Options of a task in the format's Worker. */
function optionsFor(codec: Codec, { output }: Pick<Generated, 'output'>, more: Partial<Options>): Options {
  const lent = codec.format.id in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS
  return optionsOf(codec.format, lent, { quality: 'high', output, ...more })
}

const levelsOf = ({ format }: Codec): Quality[] => [...(format.ultra ? (['ultra'] as const) : []), 'low', 'medium', 'high']

function expectFloors(outcome: Outcome, reasons: readonly Reason[] = ['no_gain', 'below_floor']): void {
  if (outcome.kind === 'unchanged') expect(reasons).toContain(outcome.reason)
  if (outcome.kind === 'unchanged' || !outcome.loss) return
  const { pictures, sound } = outcome.loss
  expect(pictures ?? sound, 'a loss has figures').toBeDefined()
  if (sound) expect(sound.snrDb).toBeGreaterThanOrEqual(FLOOR_SNR_DB)
  if (!pictures) return
  expect(pictures.ssim).toBeGreaterThanOrEqual(FLOOR_SSIM)
  expect(pictures.psnrDb).toBeGreaterThanOrEqual(FLOOR_PSNR_DB)
}

/** Checks that compressing a result again gives no larger file and no defect. */
async function expectNoGrowth(result: Uint8Array, row: Generated, own: Codec, quality: Quality): Promise<void> {
  const output = row.output ?? own.format.outputs[0]
  const name = output === own.format.id ? row.name : `${row.name}.${outputFacts(output).extension}`
  const id = (await identify(memorySource(result, name)))?.id
  // Wrappers (zst, br, gz) and outputs that are no input format cannot be compressed again.
  const [codec, asked] = id ? [codecOf(id), {}] : [codecOf('text'), { output: 'zst' as const }]
  const again = await pressFile(codec, result, name, optionsFor(codec, asked, { quality }))
  expect(again.defect).toBeUndefined()
  expect(again.bytes.length).toBeLessThanOrEqual(result.length)
  expectFloors(again.outcome)
}

/** Flips bytes of a lossless result, one at a time. The codec or its reader must detect each flip. */
async function expectFlipsSeen(file: Uint8Array, result: Uint8Array, row: Generated, codec: Codec, outcome: Outcome): Promise<void> {
  const options = optionsFor(codec, row, { lossless: true })
  const verdict = async (bytes: Uint8Array, upload = file): Promise<Verdict> =>
    codec.verify(memorySource(upload, row.name), memorySource(bytes, row.name), outcome, options)
  expect(await verdict(result)).toMatchObject({ equal: true })
  const [from, to] = row.seenIn?.(result) ?? [0, result.length]
  expect(to - from).toBeGreaterThan(FLIPS)
  const random = randomNumbers(result.length)
  for (let flip = 0; flip < FLIPS; flip++) {
    const at = from + Math.floor(random() * (to - from))
    const mask = 1 + Math.floor(random() * 255)
    const found = await verdict(result.with(at, result[at]! ^ mask)).catch((error: Error): Verdict => {
      return { equal: false, difference: error.message }
    })
    expect(found.equal, `byte ${at} of ${result.length} ^ ${mask}`).toBe(false)
  }
  // The result of another file is intact, so only the comparison can detect it.
  const middle = file.length >> 1
  if (outputFacts(options.output).wraps || holdsFile(codec.format.id, options.output))
    expect((await verdict(result, file.with(middle, file[middle]! ^ 1))).equal).toBe(false)
}

it('every format has a codec and a generated file', () => {
  expect(Object.keys(CODECS).sort()).toEqual([...IDS].sort())
  expect(Object.keys(GENERATORS).sort()).toEqual([...IDS].sort())
})

describe.each(IDS)('%s', (id) => {
  const codec = codecOf(id)

  it.each(
    GENERATORS[id],
  )('$holds: results are smaller, keep the floors, have levels in order, and do not grow when compressed again', async (row) => {
    const sizes: number[] = []
    let originalSize = 0
    const again = new Set(fewOf(levelsOf(codec), 1))
    for (const quality of levelsOf(codec)) {
      const { file, outcome, bytes, defect } = await generatedOnce(id, row, quality)
      originalSize = file.length
      // Data is what no other format recognises.
      expect((await identify(memorySource(file, row.name)))?.id ?? 'data').toBe(id)
      expect(defect).toBeUndefined()
      if (outcome.kind === 'compressed') expect(bytes.length).toBeLessThan(file.length)
      else expect(Buffer.compare(bytes, file)).toBe(0)
      if (neverGains(id, row)) expectFloors(outcome, [NEVER_GAINS[id]!])
      else expectFloors(outcome)
      await expectReadersAgree({ format: id, output: row.output ?? codec.format.outputs[0], upload: file, bytes, outcome })
      if (outcome.kind === 'compressed' && again.has(quality)) await expectNoGrowth(bytes, row, codec, quality)
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    // The test needs a file that becomes smaller.
    expect(sizes[0]! < originalSize).toBe(!neverGains(id, row))
  })

  it('detects a flipped byte of a lossless result', async () => {
    let exact = 0
    for (const row of GENERATORS[id]) {
      const file = await row.make()
      const options = optionsFor(codec, row, { lossless: true })
      const { outcome, bytes, defect } = await pressFile(codec, file, row.name, options)
      expect(defect).toBeUndefined()
      if (outcome.kind === 'unchanged') continue
      expect(outcome.loss).toBeUndefined()
      await expectFlipsSeen(file, bytes, row, codec, outcome)
      exact++
    }
    expect(exact > 0).toBe(!GENERATORS[id].every((row) => neverGains(id, row)))
  })
})
