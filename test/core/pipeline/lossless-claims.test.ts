/** Checks that the verification of each codec rejects a lossy result that claims to be lossless. */
import { expect, it } from 'vitest'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { wav } from '../../../src/core/formats/wav/wav.ts'
import type { Codec, Options } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { photo, pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { tones, wave } from '../formats/media-fixtures.ts'

const picture = pngOf(photo(160, 120), 160, 120)
const sound = wave(
  Int32Array.from(tones(88_200, 2, 44_100), (value) => value * 32_767),
  16,
  2,
  44_100,
)

it.each([
  ['avif', png, picture, 'a.png'],
  ['webp', png, picture, 'a.png'],
  ['jpg', png, picture, 'a.png'],
  ['mp3', wav, sound, 'a.wav'],
] as const)('%s', async (output: OutputId, codec: Codec, file, name) => {
  const { outcome, bytes } = await pressFile(codec, file, name, { output, quality: 'medium' })
  if (outcome.kind !== 'compressed') throw new Error(JSON.stringify(outcome))
  expect(outcome.loss).toBeDefined()
  const options = {
    output,
    quality: 'medium',
    signal: new AbortController().signal,
    memoryBudget: 96 * 2 ** 20,
    progress: () => undefined,
    inner: { depth: 0 },
  }
  const verify = (claimed: typeof outcome) =>
    codec.verify(memorySource(file, name), memorySource(bytes, `a.${output}`), claimed, options as unknown as Options)
  expect(await verify(outcome)).toMatchObject({ equal: true })
  expect(await verify({ kind: 'compressed', steps: outcome.steps })).toMatchObject({ equal: false })
})
