/**
 * Appends 5,000 bytes to a file of every format. Whether they are kept, compressed, dropped, or make the file stay unchanged, must match
 * the
 * table in docs/users/kept.md.
 */

import { readFileSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { MEDIA_CODECS } from '../../../src/core/formats/media.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { type Codec, fidelityOf, type Options } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { GENERATORS, type Generated } from '../../support/generators.ts'
import { textsOf } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'

const CODECS = { ...PRESS_CODECS, ...MEDIA_CODECS }
const BYTES = 5000

/** Returns the appended bytes: the start of a ZIP archive, or letters for text formats. */
function appended(id: FormatId): Uint8Array {
  const random = randomNumbers(7)
  if (TEXTS.has(id)) return Uint8Array.from({ length: BYTES }, () => 97 + Math.floor(random() * 26))
  return concat([new TextEncoder().encode('PK\x03\x04'), Uint8Array.from({ length: BYTES - 4 }, () => random() * 256)])
}
const TEXTS: ReadonlySet<FormatId> = new Set(['text', 'dxf', 'svg', 'eml'])

const optionsFor = (codec: Codec, more: Partial<Options>): Options => {
  const lent = codec.format.id in MEDIA_CODECS ? MEDIA_CODECS : PRESS_CODECS
  return optionsOf(codec.format, lent, { quality: 'low', ...more })
}

const UNPACK: Partial<Record<OutputId, (bytes: Uint8Array) => Uint8Array>> = { zst: zstdDecompressSync, 'nii.gz': gunzipSync }

type Fate = 'kept' | 'packed' | 'stays' | 'dropped'

async function fateOf(id: FormatId, { make, name, output }: Generated, more: Partial<Options> = {}): Promise<Fate> {
  const codec = CODECS[id]!
  const options = optionsFor(codec, { ...(output ? { output } : {}), ...more })
  const tail = appended(id)
  const file = concat([await make(), tail])
  const { outcome, bytes, defect } = await pressFile(codec, file, name, options)
  expect(defect).toBeUndefined()
  if (outcome.kind === 'unchanged') return 'stays'
  const unpack = UNPACK[options.output]
  if (unpack && Buffer.compare(unpack(bytes), file) === 0) return 'packed'
  if (Buffer.from(bytes).includes(tail)) {
    await expectTailVerified(codec, file, bytes, options)
    return 'kept'
  }
  expect(textsOf(outcome.steps).join()).toMatch(/not kept/)
  expect(fidelityOf(outcome)).toBe('perceptual')
  return 'dropped'

  /** Checks that verification rejects a result whose trailing bytes changed by one byte. */
  async function expectTailVerified(of: Codec, upload: Uint8Array, result: Uint8Array, asked: Options): Promise<void> {
    const at = Buffer.from(result).indexOf(tail) + BYTES - 100
    const changed = result.with(at, result[at]! ^ 1)
    const verdict = await of.verify(memorySource(upload, name), memorySource(changed, name), outcome, asked)
    expect(verdict.equal, `a changed byte behind the end of ${id}`).toBe(false)
  }
}

/** Expected outcome by format: the first word of the second column in the table "What is kept". */
const DOCUMENTED = new Map<string, Fate>(
  readFileSync(new URL('../../../docs/users/kept.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line): [string, Fate][] => {
      const [, ids = '', behind = ''] = line.split('|').map((cell) => cell.trim())
      const fate = (['kept', 'packed', 'stays', 'dropped'] as const).find((word) => behind.startsWith(word))
      return fate ? ids.split(', ').map((id) => [id, fate]) : []
    }),
)

it('the table lists every format', () => {
  expect([...DOCUMENTED.keys()].sort()).toEqual(Object.keys(CODECS).sort())
})

describe.each(Object.entries(GENERATORS) as [FormatId, readonly Generated[]][])('%s', (id, rows) => {
  const own = rows.filter(({ output }) => output === undefined)

  it.each(own)('$holds with 5,000 trailing bytes: as documented', async (row) => {
    expect(await fateOf(id, row)).toBe(DOCUMENTED.get(id))
  })
})

it('trailing bytes of an AVI file are dropped in a movie, and a step says so', async () => {
  expect(await fateOf('avi', { ...GENERATORS.avi[0], output: 'mp4' })).toBe('dropped')
})

describe.each(['png', 'gif', 'bmp'] as const)('%s in another format', (id) => {
  const still = GENERATORS[id].at(-1)!
  it.each(['jpg', 'png', 'webp'] as const)('%s keeps the trailing bytes, too', async (output) => {
    if (output !== id) expect(await fateOf(id, { ...still, output })).toBe('kept')
  })

  it('avif cannot store them, so the file stays unchanged', async () => {
    expect(await fateOf(id, { ...still, output: 'avif' })).toBe('stays')
  })

  it('a target size includes them', async () => {
    const file = concat([await GENERATORS[id][0].make(), appended(id)])
    const codec = CODECS[id]!
    const exact = await pressFile(codec, file, `a.${id}`, optionsFor(codec, { quality: 'high' }))
    const targetSize = exact.bytes.length - 50
    const { outcome, bytes } = await pressFile(codec, file, `a.${id}`, optionsFor(codec, { targetSize }))
    expect(fidelityOf(outcome)).toBe('perceptual')
    expect(bytes.length).toBeLessThanOrEqual(targetSize)
  })
})
