/**
 * Tests `compress` with codecs that lie or fail, and with storage that damages results: the outcome keeps the contract, and no unverified
 * result is left in storage. every-codec.ts tests real codecs.
 */

import { describe, expect, it } from 'vitest'
import { JPG } from '../../../src/core/catalog/formats/jpg.ts'
import { SVG } from '../../../src/core/catalog/formats/svg.ts'
import { TEXT } from '../../../src/core/catalog/formats/text.ts'
import { FALLBACK_LEVELS, fallbackLevelsOf } from '../../../src/core/catalog/level-order.ts'
import { text } from '../../../src/core/formats/text/text.ts'
import { englishText, message } from '../../../src/core/i18n/message.ts'
import type { Codec, Options, Outcome, Quality, Reason, Verdict } from '../../../src/core/model/codec.ts'
import { CodecError, malformed, overBudget, TargetUnreachable, unsupported } from '../../../src/core/model/error.ts'
import { lossOf, pixelLoss } from '../../../src/core/model/loss.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../src/core/pipeline/job.ts'
import { EngineError, type EngineFailure } from '../../../wasm/engine-error.ts'
import { fakeStorage } from '../../support/fake-storage.ts'
import { inEnglish } from '../../support/in-english.ts'

const UPLOAD = new TextEncoder().encode('a line of the upload\n'.repeat(200))
const SMALL = UPLOAD.slice(0, 100)
/** A drawing with one id. */
const DRAWING = new TextEncoder().encode(
  `<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(400)}<rect id="a" width="9" height="9"/></svg>`,
)
const NOT_VERIFIED = {
  kind: 'unchanged',
  reason: 'unsupported_feature',
  detail: 'the compressed result failed verification against the original, so Whittle kept the original',
}

const lossless: Outcome = { kind: 'compressed', steps: [] }
const picture = (ssim: number, psnrDb: number): Outcome => ({ kind: 'compressed', ...lossOf(pixelLoss({ ssim, psnrDb })), steps: [] })
const sound = (snrDb: number): Outcome => ({ kind: 'compressed', loss: { sound: { snrDb } }, steps: [] })
const fails = (error: unknown) => async (): Promise<never> => {
  throw error
}

/** Returns a codec that writes `bytes`, claims `outcome`, and always verifies as equal. */
function claiming(outcome: Outcome, bytes: Uint8Array = SMALL, more: Partial<Codec> = {}): Codec {
  return {
    format: JPG,
    async compress(_source, sink) {
      if (bytes.length > 0) await sink.write(bytes.slice())
      return outcome
    },
    verify: async () => ({ equal: true }),
    ...more,
  }
}

const optionsFor = (more: Partial<Options> = {}): Options => optionsOf(JPG, {}, { quality: 'high', ...more })

const NO_LIMIT = Number.POSITIVE_INFINITY

/** Presses the upload. The outcome is that of the codec, without what the inventory adds. */
async function pressed(codec: Codec, more: Partial<Options> = {}, storage = fakeStorage(NO_LIMIT)) {
  const answer = await openJob(codec, memorySource(UPLOAD, 'upload'), {}, optionsFor(more)).whole(storage.open)
  return { ...answer, outcome: withoutInventory(answer.outcome), storage }
}

function withoutInventory(outcome: Outcome): Outcome {
  if (outcome.kind !== 'compressed') return outcome
  const { inventory: _, verifiedBy: __, ...claimed } = outcome
  return claimed
}

/** Checks that the outcome is `outcome`, and that no result is returned or left in storage. */
async function expectUnchanged(codec: Codec, outcome: object, more: Partial<Options> = {}, storage = fakeStorage(NO_LIMIT)) {
  const answer = await pressed(codec, more, storage)
  expect(inEnglish(answer.outcome)).toMatchObject({ kind: 'unchanged', ...outcome })
  expect(answer.result).toBeUndefined()
  expect(storage.blob()).toBeUndefined()
  expect(storage.events.at(-1)).toBe('abort')
  return answer
}

/** Checks that `error` is thrown and no result is left in storage. */
async function expectThrown(codec: Codec, error: unknown, more: Partial<Options> = {}) {
  const storage = fakeStorage(NO_LIMIT)
  await expect(pressed(codec, more, storage)).rejects.toBe(error)
  expect(storage.blob()).toBeUndefined()
  expect(storage.events.at(-1)).toBe('abort')
  return storage
}

describe('a correct codec', () => {
  it('has its stored result returned after it was verified', async () => {
    const eventsAtVerify: string[] = []
    const storage = fakeStorage(UPLOAD.length)
    const codec = claiming(picture(0.97, 36), SMALL, {
      async verify(original, result): Promise<Verdict> {
        eventsAtVerify.push(...storage.events)
        const sameUpload = Buffer.compare(await readAll(original), UPLOAD) === 0
        const stored = Buffer.compare(await readAll(result), storage.blob()!) === 0
        return sameUpload && stored ? { equal: true } : { equal: false, difference: 'other files' }
      },
    })
    const { outcome, result } = await pressed(codec, {}, storage)
    expect(outcome).toEqual(picture(0.97, 36))
    expect(await readAll(result!)).toEqual(SMALL)
    expect(eventsAtVerify).toEqual(['open', 'write', 'finish'])
    expect(storage.events).toEqual(eventsAtVerify)
  })

  it.each([picture(0.9, 30), sound(6)])('may have figures equal to the floors: %j', async (outcome) => {
    expect((await pressed(claiming(outcome))).outcome).toEqual(outcome)
  })
})

describe('the verified share', () => {
  it.each([
    ['is 1 if the codec does not count', {}, { verifiedShare: 1 }],
    ['is the share that the codec counted', { share: 0.25 }, { verifiedShare: 0.25 }],
  ] as const)('%s', async (_, counted, expected) => {
    const codec = claiming(picture(0.97, 36), SMALL, { verify: async () => ({ equal: true, ...counted }) })
    const { outcome: _outcome, result: _result, storage: _storage, ...rest } = await pressed(codec)
    expect(rest).toEqual(expected)
  })
})

describe('suggestions', () => {
  it.each([
    ['of a smaller output are kept', { output: 'webp', estimatedBytes: UPLOAD.length - 1 }, true],
    ['of an output that is not smaller are dropped', { output: 'webp', estimatedBytes: UPLOAD.length }, false],
    ['of an output that the format does not have are dropped', { output: 'flac', estimatedBytes: 100 }, false],
  ] as const)('%s', async (_, suggestion, isKept) => {
    const { outcome } = await pressed(claiming({ kind: 'unchanged', reason: 'no_gain', suggestion }, new Uint8Array()))
    expect(outcome).toEqual({ kind: 'unchanged', reason: 'no_gain', ...(isKept ? { suggestion } : {}) })
  })
})

describe('never larger', () => {
  it.each([UPLOAD.length + 1, UPLOAD.length])('a result of %i bytes is no gain, even if the sink accepts it', async (bytes) => {
    await expectUnchanged(claiming(lossless, new Uint8Array(bytes)), { reason: 'no_gain' })
  })

  it('a sink stops an attempt at the write that reaches its limit', async () => {
    const tenths = claiming(lossless, SMALL, {
      async compress(_source, sink) {
        for (let i = 0; i < 20; i++) await sink.write(new Uint8Array(UPLOAD.length / 10))
        return lossless
      },
    })
    const { storage } = await expectUnchanged(tenths, { reason: 'no_gain' }, {}, fakeStorage(UPLOAD.length))
    expect(storage.events.filter((event) => event === 'write')).toHaveLength(10)
  })

  it('an empty result is rejected', async () => {
    await expectUnchanged(claiming(lossless, new Uint8Array()), { reason: 'no_gain' })
  })
})

describe('floors', () => {
  it.each([
    ['SSIM 0.89', picture(0.89, 40), 'the image quality is too low: SSIM 0.8900, PSNR 40.00 dB'],
    ['PSNR 29 dB', picture(0.99, 29), 'the image quality is too low: SSIM 0.9900, PSNR 29.00 dB'],
    ['no SSIM at all', picture(Number.NaN, 40), 'the image quality is too low: SSIM NaN, PSNR 40.00 dB'],
    ['no PSNR at all', picture(0.99, Number.NaN), 'the image quality is too low: SSIM 0.9900, PSNR NaN dB'],
    ['SNR 5.9 dB', sound(5.9), 'the audio quality is too low: the signal-to-noise ratio is 5.90 dB'],
    ['no SNR at all', sound(Number.NaN), 'the audio quality is too low: the signal-to-noise ratio is NaN dB'],
    ['a loss without figures', { kind: 'compressed', loss: {}, steps: [] } satisfies Outcome, englishText(message('loss_without_figures'))],
  ])('%s is below', async (_, outcome, detail) => {
    const { storage } = await expectUnchanged(claiming(outcome), { reason: 'below_floor', detail })
    // A result below a floor is never finished in storage.
    expect(storage.events).not.toContain('finish')
  })

  it('a lossy result is rejected if a lossless one was requested', async () => {
    await expectUnchanged(claiming(picture(0.99, 50)), { reason: 'unsupported_feature' }, { lossless: true })
    expect((await pressed(claiming(lossless), { lossless: true })).outcome).toEqual(lossless)
  })
})

describe('verification', () => {
  it('removes a result that differs, and reports the difference only in the log', async () => {
    const codec = claiming(lossless, SMALL, { verify: async () => ({ equal: false, difference: 'row 7 differs' }) })
    const answer = await expectUnchanged(codec, NOT_VERIFIED)
    expect(answer).toMatchObject({ defect: 'row 7 differs' })
    expect(JSON.stringify(answer.outcome)).not.toContain('row 7')
  })

  it.each([0, 10, 40])('detects storage that changes byte %i', async (at) => {
    const storage = fakeStorage(UPLOAD.length, (bytes) => bytes.with(at, bytes[at]! ^ 0x10))
    const answer = await expectUnchanged(text, NOT_VERIFIED, { output: 'zst' }, storage)
    expect(answer).toMatchObject({ defect: expect.any(String) })
    expect(storage.events.slice(-2)).toEqual(['finish', 'abort'])
  })

  it('detects storage that loses the end', async () => {
    await expectUnchanged(
      text,
      NOT_VERIFIED,
      { output: 'gz' },
      fakeStorage(UPLOAD.length, (bytes) => bytes.slice(0, -5)),
    )
  })

  it.each<[string, unknown]>([
    ['malformed', malformed('png', 7, 'crc_differs')],
    ['unsupported', unsupported(message('version_found', { version: 9 }))],
    ['damaged', new EngineError('png', 'damaged', 'a bad checksum')],
    ['a trap', new WebAssembly.RuntimeError('unreachable')],
  ])('reports an unreadable result (%s) as a defect, not as a damaged input', async (_, error) => {
    const answer = await expectUnchanged(claiming(lossless, SMALL, { verify: fails(error) }), NOT_VERIFIED)
    expect(answer).toMatchObject({ defect: expect.stringContaining((error as Error).message) })
  })

  it('ends as over_budget if it needs more memory than the budget', async () => {
    for (const error of [
      overBudget(message('about_mb_of_memory_would_be_needed', { megabytes: 200 })),
      new EngineError('jpeg', 'memory', 'about 200 MB of memory would be needed'),
    ]) {
      await expectUnchanged(claiming(lossless, SMALL, { verify: fails(error) }), {
        reason: 'over_budget',
        detail: expect.stringContaining('about 200 MB of memory'),
      })
    }
  })
})

describe('inventory', () => {
  const compressed = async (made: string) => {
    const storage = fakeStorage(NO_LIMIT)
    const codec = claiming(lossless, new TextEncoder().encode(made), { format: SVG })
    const options = optionsOf(SVG, {}, { quality: 'high' })
    const { outcome, result, defect } = {
      defect: undefined,
      ...(await openJob(codec, memorySource(DRAWING, 'a.svg'), {}, options).whole(storage.open)),
    }
    return { outcome: inEnglish(outcome), result, defect, blob: storage.blob() }
  }

  it('a result that keeps every item is returned', async () => {
    const { outcome, result } = await compressed('<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="9" height="9"/></svg>')
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { ids: 1 } })
    expect(result).toBeDefined()
  })

  it('a result that lacks an item is rejected and removed, whatever its codec claims', async () => {
    const { outcome, result, defect, blob } = await compressed('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: expect.stringContaining('id') })
    expect([result, blob]).toEqual([undefined, undefined])
    expect(defect).toBeDefined()
  })

  it('a result that the inventory reader cannot read is rejected and removed', async () => {
    const { outcome, result, defect, blob } = await compressed('<svg xmlns="http://www.w3.org/2000/svg"><rect id="a"')
    expect(outcome).toMatchObject(NOT_VERIFIED)
    expect([result, blob]).toEqual([undefined, undefined])
    expect(defect).toContain('cannot read')
  })
})

describe('errors', () => {
  const troubled = (error: unknown) =>
    claiming(lossless, SMALL, {
      async compress(_source, sink) {
        await sink.write(SMALL.slice())
        throw error
      },
    })

  it.each<[EngineFailure, Reason | undefined]>([
    ['damaged', 'malformed'],
    ['truncated', 'malformed'],
    ['limit', 'malformed'],
    ['unsupported', 'unsupported_feature'],
    ['memory', 'over_budget'],
    ['too_large', 'over_budget'],
    ['misuse', undefined],
  ])('of an engine: %s becomes %s', async (failure, reason) => {
    const error = new EngineError('png', failure, 'what it says')
    if (!reason) {
      await expectThrown(troubled(error), error)
      return
    }
    const answer = await expectUnchanged(troubled(error), { reason })
    expect(answer).not.toHaveProperty('defect')
    expect(inEnglish(answer.outcome)).toMatchObject({ detail: expect.stringContaining('what it says') })
  })

  it.each<Reason>([
    'no_gain',
    'below_floor',
    'signed',
    'encrypted',
    'malformed',
    'over_budget',
    'unsupported_feature',
  ])('of a codec: %s', async (reason) => {
    const detail = message('damaged')
    await expectUnchanged(troubled(new CodecError(reason, 'damaged')), { reason, detail: 'the data is damaged' })
    await expectUnchanged(claiming({ kind: 'unchanged', reason, detail }), { reason, detail: 'the data is damaged' })
  })

  it('a Wasm trap is reported as malformed, and as a defect in the log', async () => {
    const answer = await expectUnchanged(troubled(new WebAssembly.RuntimeError('memory access out of bounds')), { reason: 'malformed' })
    expect(answer).toMatchObject({ defect: 'trap: memory access out of bounds' })
  })

  it('an unexpected error is rethrown from every step', async () => {
    const bug = new TypeError('x is not a function')
    await expectThrown(troubled(bug), bug)
    await expectThrown(claiming(lossless, SMALL, { verify: fails(bug) }), bug)
  })

  it('an unreachable target size is rethrown, so that the task fails', async () => {
    const error = new TargetUnreachable(77)
    await expectThrown(troubled(error), error)
  })
})

describe('an abort', () => {
  const gone = new Error('the task was deleted')

  /** Aborts inside `compress` or `verify`. `notices`: the codec throws the reason; otherwise it continues as if nothing had happened. */
  function interrupted(step: 'compress' | 'verify', notices: boolean): [Codec, Partial<Options>] {
    const controller = new AbortController()
    const abort = () => {
      controller.abort(gone)
      if (notices) controller.signal.throwIfAborted()
    }
    const honest = claiming(lossless)
    const codec: Codec = {
      ...honest,
      async compress(...args) {
        if (step === 'compress') abort()
        return honest.compress(...args)
      },
      async verify(...args) {
        if (step === 'verify') abort()
        return honest.verify(...args)
      },
    }
    return [codec, { signal: controller.signal }]
  }

  it.each([
    ['compress', true],
    ['compress', false],
    ['verify', true],
    ['verify', false],
  ] as const)('in the middle of %s (noticed there: %s) hands out nothing', async (step, notices) => {
    const [codec, more] = interrupted(step, notices)
    const { events } = await expectThrown(codec, gone, more)
    // A job that is aborted before storing does not store a result.
    expect(events.includes('finish')).toBe(step === 'verify')
  })

  it('during the comparison of inventories hands out nothing', async () => {
    const controller = new AbortController()
    const storage = fakeStorage(NO_LIMIT)
    const smaller = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="9" height="9"/></svg>')
    const open = async () => {
      const sink = await storage.open()
      const finish = sink.finish.bind(sink)
      // Only the inventory reader reads the result: the codec's `verify` does not.
      sink.finish = async () => {
        const result = await finish()
        const abort = <Read extends unknown[], Bytes>(read: (...args: Read) => Bytes) => {
          return (...args: Read) => {
            controller.abort(gone)
            return read(...args)
          }
        }
        return { ...result, read: abort(result.read), stream: abort(result.stream) }
      }
      return sink
    }
    const options = optionsOf(SVG, {}, { quality: 'high', signal: controller.signal })
    const job = openJob(claiming(lossless, smaller, { format: SVG }), memorySource(DRAWING, 'a.svg'), {}, options)
    await expect(job.whole(open)).rejects.toBe(gone)
    expect(storage.blob()).toBeUndefined()
  })

  it('throws even if the codec returns an outcome', async () => {
    const controller = new AbortController()
    const codec = claiming({ kind: 'unchanged', reason: 'no_gain' }, SMALL, {
      async compress() {
        controller.abort(gone)
        return { kind: 'unchanged', reason: 'no_gain' }
      },
    })
    await expectThrown(codec, gone, { signal: controller.signal })
  })

  it('is not reported as an error of the file, even if the codec throws one', async () => {
    const controller = new AbortController()
    const error = new CodecError('malformed', 'unexpected_end_of_file')
    const codec = claiming(lossless, SMALL, {
      async compress() {
        controller.abort(gone)
        throw error
      },
    })
    await expectThrown(codec, error, { signal: controller.signal })
  })
})

describe('levels', () => {
  /** Returns a codec that gains bytes only at `levels`. At other levels it ends with `reason`. */
  function gainingAt(levels: readonly Quality[], reason: Reason, tried: Quality[], format: Codec['format'] = JPG): Codec {
    return claiming(lossless, SMALL, {
      format,
      async compress(_source, sink, { quality }) {
        tried.push(quality)
        await sink.write(SMALL.slice())
        return levels.includes(quality) ? lossless : { kind: 'unchanged', reason }
      },
    })
  }

  it.each<[Quality, Quality[]]>([
    ['ultra', ['ultra', 'low', 'medium', 'high']],
    ['low', ['low', 'medium', 'high']],
    ['medium', ['medium', 'high']],
    ['high', ['high']],
  ])('%s continues with the gentler levels if it gains nothing or misses a floor', async (quality, ladder) => {
    for (const reason of ['no_gain', 'below_floor'] as const) {
      const tried: Quality[] = []
      const storage = fakeStorage(NO_LIMIT)
      const { outcome, result } = await pressed(gainingAt(['high'], reason, tried), { quality }, storage)
      expect(tried).toEqual(ladder)
      expect(outcome).toEqual(lossless)
      expect(await readAll(result!)).toEqual(SMALL)
      // Each attempt opens a new sink, and all results except the last are removed.
      expect(storage.events.filter((event) => event === 'open')).toHaveLength(ladder.length)
      expect(storage.events.filter((event) => event === 'abort')).toHaveLength(ladder.length - 1)
    }
  })

  it('end with the first level that gains something', async () => {
    const tried: Quality[] = []
    await pressed(gainingAt(['medium', 'high'], 'no_gain', tried), { quality: 'low' })
    expect(tried).toEqual(['low', 'medium'])
  })

  it.each<Reason>(['signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'])('%s is so at every level', async (reason) => {
    const tried: Quality[] = []
    await expectUnchanged(gainingAt(['high'], reason, tried), { reason }, { quality: 'low' })
    expect(tried).toEqual(['low'])
  })

  it('a lossless format has one level', async () => {
    const tried: Quality[] = []
    await expectUnchanged(gainingAt(['high'], 'no_gain', tried, TEXT), { reason: 'no_gain' }, { quality: 'low' })
    expect(tried).toEqual(['low'])
  })

  it('the next level is tried if the result of a level is rejected', async () => {
    const codec = claiming(lossless, SMALL, {
      async compress(_source, sink, { quality }) {
        await sink.write(SMALL.slice())
        return quality === 'high' ? picture(0.99, 44) : picture(0.89, 44)
      },
    })
    expect((await pressed(codec, { quality: 'low' })).outcome).toEqual(picture(0.99, 44))
  })
})

describe('the order of levels', () => {
  const LEVELS = ['ultra', 'low', 'medium', 'high'] as const

  it.each(LEVELS)('%s tries every gentler level once, the nearest first', (quality) => {
    expect(FALLBACK_LEVELS[quality]).toEqual(LEVELS.slice(LEVELS.indexOf(quality) + 1))
  })

  it('levels with the same picture target are not tried twice', () => {
    expect(fallbackLevelsOf('ultra')).toEqual(['medium', 'high'])
    for (const quality of ['low', 'medium', 'high'] as const) expect(fallbackLevelsOf(quality)).toEqual(FALLBACK_LEVELS[quality])
  })
})

describe('embedded files', () => {
  const inner = (codec: Codec) =>
    optionsOf(JPG, { text: { ...codec, format: TEXT } }, { quality: 'high' }).inner.compress(UPLOAD, 'a.txt', { output: 'zst' })

  it('are compressed by the codec of their format', async () => {
    expect(await inner(claiming(lossless))).toMatchObject({ kind: 'compressed', bytes: SMALL, output: 'zst', outcome: lossless })
  })

  it.each<[string, Codec, Reason]>([
    ['larger', claiming(lossless, new Uint8Array(UPLOAD.length)), 'no_gain'],
    ['SSIM 0.89', claiming(picture(0.89, 40)), 'below_floor'],
    ['not equal', claiming(lossless, SMALL, { verify: async () => ({ equal: false, difference: 'x' }) }), 'unsupported_feature'],
    ['a trap', claiming(lossless, SMALL, { compress: fails(new WebAssembly.RuntimeError('x')) }), 'malformed'],
  ])('stay unchanged if their codec lies (%s)', async (_, codec, reason) => {
    expect(await inner(codec)).toEqual({ kind: 'unchanged', reason })
  })
})
