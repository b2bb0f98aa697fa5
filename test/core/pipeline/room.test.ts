/**
 * Tests jobs with more memory than an isolate: files that fit into an isolate have identical results, and larger files are compressed, too.
 */

import { describe, expect, it } from 'vitest'
import { TEXT } from '../../../src/core/catalog/formats/text.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { overBudget } from '../../../src/core/model/error.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { ISOLATE_BYTES } from '../../../src/service/lanes.ts'
import { allowMemory } from '../../../wasm/memories/memories.ts'
import { WebpEncoder } from '../../../wasm/webp/webp.ts'
import { inEnglish } from '../../support/in-english.ts'
import { optionsFor, rawMovie } from '../formats/media-fixtures.ts'

const ROOM_BYTES = 1024 ** 3

/** Returns a codec that halves its file if its budget is at least `need`, and records the budgets. */
function needing(need: number): { codec: Codec; given: number[] } {
  const given: number[] = []
  const codec: Codec = {
    format: TEXT,
    async compress(source, sink, { memoryBudget }) {
      given.push(memoryBudget)
      if (memoryBudget < need) throw overBudget(message('stream_of_bytes', { length: need }))
      await sink.write(new Uint8Array(source.size / 2))
      return { kind: 'compressed', steps: [] }
    },
    verify: async () => ({ equal: true }),
  }
  return { codec, given }
}

const within = async (codec: Codec, memoryBudget: number) =>
  (await openJob(codec, memorySource(new Uint8Array(100), 'a'), {}, { memoryBudget }).whole(async () => memorySink(100, 'a'))).outcome

describe('a job with more memory than an isolate', () => {
  it('runs with the memory of an isolate if that is enough', async () => {
    const { codec, given } = needing(ISOLATE_BYTES)
    expect(await within(codec, ROOM_BYTES)).toMatchObject({ kind: 'compressed' })
    expect(given).toEqual([ISOLATE_BYTES])
  })

  it('runs again with its full budget if that is not enough', async () => {
    const { codec, given } = needing(ISOLATE_BYTES + 1)
    expect(await within(codec, ROOM_BYTES)).toMatchObject({ kind: 'compressed' })
    expect(given).toEqual([ISOLATE_BYTES, ROOM_BYTES])
  })

  it('is over budget after one attempt in an isolate', async () => {
    const { codec, given } = needing(ISOLATE_BYTES + 1)
    expect(await within(codec, ISOLATE_BYTES)).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
    expect(given).toEqual([ISOLATE_BYTES])
  })
})

it('engines allocate more than 96 MiB only while a larger budget is granted', () => {
  // Lossless WebP needs four bytes per pixel.
  const hold = () => {
    using encoder = new WebpEncoder(6000, 5000, 4, 'exact')
    return encoder.memoryBytes
  }
  expect(hold).toThrow('out of memory')
  {
    using _ = allowMemory(ROOM_BYTES)
    expect(hold()).toBeGreaterThan(ISOLATE_BYTES)
  }
  expect(hold).toThrow('out of memory')
})

it('a film larger than a phone screen is compressed with a larger budget', async () => {
  const film = memorySource(rawMovie(3, 2048, 1344), 'large.mov')
  const pressed = async (memoryBudget: number) => {
    const sink = memorySink(film.size, 'large.mov')
    return await mov.compress(film, sink, { ...optionsFor('low', 'mov'), memoryBudget })
  }
  expect(inEnglish(await pressed(ISOLATE_BYTES))).toMatchObject({
    kind: 'unchanged',
    reason: 'over_budget',
    detail: 'the video has 2048×1344 pixels, a size that Whittle cannot re-encode',
  })
  expect(await pressed(ROOM_BYTES)).toMatchObject({ kind: 'compressed', loss: { pictures: { measuredAt: 'second' } } })
})
