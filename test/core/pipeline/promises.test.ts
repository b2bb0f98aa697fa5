/**
 * Codecs that lie, fail or are betrayed by the storage: whatever they do, what comes out is what the contract says, and no blob
 * is left that nobody verified. What real codecs make of real files is in every-codec.ts.
 */

import { describe, expect, it } from 'vitest'
import { JPG } from '../../../src/core/catalog/formats/jpg.ts'
import { TEXT } from '../../../src/core/catalog/formats/text.ts'
import { GENTLER, gentlerTargets } from '../../../src/core/catalog/level-order.ts'
import { text } from '../../../src/core/formats/text/text.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { Codec, Options, Outcome, Quality, Reason, Verdict } from '../../../src/core/model/codec.ts'
import { CodecError, malformed, overBudget, TargetUnreachable, unsupported } from '../../../src/core/model/error.ts'
import { lossOf, ofPixels } from '../../../src/core/model/loss.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../src/core/pipeline/job.ts'
import { EngineError, type EngineFailure } from '../../../wasm/engine-error.ts'
import { fakeStorage } from '../../support/fake-storage.ts'
import { inEnglish } from '../../support/in-english.ts'

const UPLOAD = new TextEncoder().encode('a line of the upload\n'.repeat(200))
const SMALL = UPLOAD.slice(0, 100)
const NOT_VERIFIED = { kind: 'unchanged', reason: 'unsupported_feature', detail: 'the result did not pass its own verification' }

const lossless: Outcome = { kind: 'compressed', steps: [] }
const picture = (ssim: number, psnrDb: number): Outcome => ({ kind: 'compressed', ...lossOf(ofPixels({ ssim, psnrDb })), steps: [] })
const sound = (snrDb: number): Outcome => ({ kind: 'compressed', loss: { sound: { snrDb } }, steps: [] })
const fails = (error: unknown) => async (): Promise<never> => {
  throw error
}

/** Writes `bytes`, claims `outcome`, and finds nothing wrong with it. */
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

async function pressed(codec: Codec, more: Partial<Options> = {}, storage = fakeStorage(NO_LIMIT)) {
  const answer = await openJob(codec, memorySource(UPLOAD, 'upload'), {}, optionsFor(more)).whole(storage.open)
  return { ...answer, storage }
}

/** It ends as `outcome`, and nothing is handed out or left behind. */
async function expectUnchanged(codec: Codec, outcome: object, more: Partial<Options> = {}, storage = fakeStorage(NO_LIMIT)) {
  const answer = await pressed(codec, more, storage)
  expect(inEnglish(answer.outcome)).toMatchObject({ kind: 'unchanged', ...outcome })
  expect(answer.result).toBeUndefined()
  expect(storage.blob()).toBeUndefined()
  expect(storage.events.at(-1)).toBe('abort')
  return answer
}

/** It ends with this error, and nothing is left behind. */
async function expectThrown(codec: Codec, error: unknown, more: Partial<Options> = {}) {
  const storage = fakeStorage(NO_LIMIT)
  await expect(pressed(codec, more, storage)).rejects.toBe(error)
  expect(storage.blob()).toBeUndefined()
  expect(storage.events.at(-1)).toBe('abort')
  return storage
}

describe('an honest codec', () => {
  it('has its result handed out as it was stored, after it was verified there', async () => {
    const seen: string[] = []
    const storage = fakeStorage(UPLOAD.length)
    const codec = claiming(picture(0.97, 36), SMALL, {
      async verify(original, result): Promise<Verdict> {
        seen.push(...storage.events)
        const sameUpload = Buffer.compare(await readAll(original), UPLOAD) === 0
        const stored = Buffer.compare(await readAll(result), storage.blob()!) === 0
        return sameUpload && stored ? { equal: true } : { equal: false, difference: 'other files' }
      },
    })
    const { outcome, result } = await pressed(codec, {}, storage)
    expect(outcome).toEqual(picture(0.97, 36))
    expect(await readAll(result!)).toEqual(SMALL)
    expect(seen).toEqual(['open', 'write', 'finish'])
    expect(storage.events).toEqual(seen)
  })

  it.each([picture(0.9, 30), sound(6)])('may come down to the floors: %j', async (outcome) => {
    expect((await pressed(claiming(outcome))).outcome).toEqual(outcome)
  })
})

describe('how much was verified', () => {
  it.each([
    ['all of it where a codec says no more', {}, { verifiedShare: 1 }],
    ['the share that a codec counted', { share: 0.25 }, { verifiedShare: 0.25 }],
  ] as const)('%s', async (_, counted, said) => {
    const codec = claiming(picture(0.97, 36), SMALL, { verify: async () => ({ equal: true, ...counted }) })
    const { outcome: _outcome, result: _result, storage: _storage, ...rest } = await pressed(codec)
    expect(rest).toEqual(said)
  })
})

describe('suggestions', () => {
  it.each([
    ['of an output that would be smaller stand', { output: 'webp', estimatedBytes: UPLOAD.length - 1 }, true],
    ['of what is no smaller do not', { output: 'webp', estimatedBytes: UPLOAD.length }, false],
    ['of what this format cannot become do not', { output: 'flac', estimatedBytes: 100 }, false],
  ] as const)('%s', async (_, suggestion, stands) => {
    const { outcome } = await pressed(claiming({ kind: 'unchanged', reason: 'no_gain', suggestion }, new Uint8Array()))
    expect(outcome).toEqual({ kind: 'unchanged', reason: 'no_gain', ...(stands ? { suggestion } : {}) })
  })
})

describe('never larger', () => {
  it.each([UPLOAD.length + 1, UPLOAD.length])('a result of %i bytes is no gain, even where the sink would take it', async (bytes) => {
    await expectUnchanged(claiming(lossless, new Uint8Array(bytes)), { reason: 'no_gain' })
  })

  it('a sink ends an attempt with the write that would reach its limit', async () => {
    const tenths = claiming(lossless, SMALL, {
      async compress(_source, sink) {
        for (let i = 0; i < 20; i++) await sink.write(new Uint8Array(UPLOAD.length / 10))
        return lossless
      },
    })
    const { storage } = await expectUnchanged(tenths, { reason: 'no_gain' }, {}, fakeStorage(UPLOAD.length))
    expect(storage.events.filter((event) => event === 'write')).toHaveLength(10)
  })

  it('an empty result is none', async () => {
    await expectUnchanged(claiming(lossless, new Uint8Array()), { reason: 'no_gain' })
  })
})

describe('floors', () => {
  it.each([
    ['SSIM 0.89', picture(0.89, 40), 'SSIM 0.8900, PSNR 40.00 dB'],
    ['PSNR 29 dB', picture(0.99, 29), 'SSIM 0.9900, PSNR 29.00 dB'],
    ['no SSIM at all', picture(Number.NaN, 40), 'SSIM NaN, PSNR 40.00 dB'],
    ['no PSNR at all', picture(0.99, Number.NaN), 'SSIM 0.9900, PSNR NaN dB'],
    ['SNR 5.9 dB', sound(5.9), 'SNR 5.90 dB'],
    ['no SNR at all', sound(Number.NaN), 'SNR NaN dB'],
  ])('%s is below', async (_, outcome, detail) => {
    const { storage } = await expectUnchanged(claiming(outcome), { reason: 'below_floor', detail })
    // Nothing below a floor is ever stored.
    expect(storage.events).not.toContain('finish')
  })

  it('a loss is refused where only an exact result was asked for', async () => {
    await expectUnchanged(claiming(picture(0.99, 50)), { reason: 'unsupported_feature' }, { lossless: true })
    expect((await pressed(claiming(lossless), { lossless: true })).outcome).toEqual(lossless)
  })
})

describe('verified', () => {
  it('a result that its codec finds different is removed, and the difference is told to us alone', async () => {
    const codec = claiming(lossless, SMALL, { verify: async () => ({ equal: false, difference: 'row 7 differs' }) })
    const answer = await expectUnchanged(codec, NOT_VERIFIED)
    expect(answer).toMatchObject({ defect: 'row 7 differs' })
    expect(JSON.stringify(answer.outcome)).not.toContain('row 7')
  })

  it.each([0, 10, 40])('storage that alters byte %i is noticed', async (at) => {
    const storage = fakeStorage(UPLOAD.length, (bytes) => bytes.with(at, bytes[at]! ^ 0x10))
    const answer = await expectUnchanged(text, NOT_VERIFIED, { output: 'zst' }, storage)
    expect(answer).toMatchObject({ defect: expect.any(String) })
    expect(storage.events.slice(-2)).toEqual(['finish', 'abort'])
  })

  it('storage that loses the end is noticed', async () => {
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
  ])('a result that cannot be read again (%s) is our defect, and does not make the upload a damaged one', async (_, error) => {
    const answer = await expectUnchanged(claiming(lossless, SMALL, { verify: fails(error) }), NOT_VERIFIED)
    expect(answer).toMatchObject({ defect: expect.stringContaining((error as Error).message) })
  })

  it('verification that needs more memory than there is ends as over_budget', async () => {
    for (const error of [
      overBudget(message('about_mb_of_memory_would_be_needed', { megabytes: 200 })),
      new EngineError('jpeg', 'memory', 'about 200 MB of memory would be needed'),
    ]) {
      await expectUnchanged(claiming(lossless, SMALL, { verify: fails(error) }), {
        reason: 'over_budget',
        detail: 'about 200 MB of memory would be needed',
      })
    }
  })
})

describe('trouble', () => {
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
  ])('an engine that fails with %s: %s', async (failure, reason) => {
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
  ])('a codec that says %s', async (reason) => {
    const detail = message('damaged')
    await expectUnchanged(troubled(new CodecError(reason, 'damaged')), { reason, detail: 'damaged' })
    await expectUnchanged(claiming({ kind: 'unchanged', reason, detail }), { reason, detail: 'damaged' })
  })

  it('a trap got past our checks: malformed for the caller, a defect for us', async () => {
    const answer = await expectUnchanged(troubled(new WebAssembly.RuntimeError('memory access out of bounds')), { reason: 'malformed' })
    expect(answer).toMatchObject({ defect: 'trap: memory access out of bounds' })
  })

  it('a bug is thrown on, wherever it happens', async () => {
    const bug = new TypeError('x is not a function')
    await expectThrown(troubled(bug), bug)
    await expectThrown(claiming(lossless, SMALL, { verify: fails(bug) }), bug)
  })

  it('a size that cannot be reached is thrown on, for the task to fail', async () => {
    const error = new TargetUnreachable(77)
    await expectThrown(troubled(error), error)
  })
})

describe('an abort', () => {
  const gone = new Error('the task was deleted')

  /** Aborts in the middle of `compress` or `verify`; whoever does so either notices, or goes on as if nothing had happened. */
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
    // What was aborted before it was stored is not stored first.
    expect(events.includes('finish')).toBe(step === 'verify')
  })

  it('is no answer, even where the codec gives one', async () => {
    const controller = new AbortController()
    const codec = claiming({ kind: 'unchanged', reason: 'no_gain' }, SMALL, {
      async compress() {
        controller.abort(gone)
        return { kind: 'unchanged', reason: 'no_gain' }
      },
    })
    await expectThrown(codec, gone, { signal: controller.signal })
  })

  it('is no trouble of the file, even where the codec takes it for one', async () => {
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
  /** Gains something at the levels named only; elsewhere it ends with `reason`. */
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
  ])('%s goes on to the gentler levels where it gains nothing or would fall below a floor', async (quality, ladder) => {
    for (const reason of ['no_gain', 'below_floor'] as const) {
      const tried: Quality[] = []
      const storage = fakeStorage(NO_LIMIT)
      const { outcome, result } = await pressed(gainingAt(['high'], reason, tried), { quality }, storage)
      expect(tried).toEqual(ladder)
      expect(outcome).toEqual(lossless)
      expect(await readAll(result!)).toEqual(SMALL)
      // Each attempt opens anew, and all but the last are removed.
      expect(storage.events.filter((event) => event === 'open')).toHaveLength(ladder.length)
      expect(storage.events.filter((event) => event === 'abort')).toHaveLength(ladder.length - 1)
    }
  })

  it('ends with the first level that gains something', async () => {
    const tried: Quality[] = []
    await pressed(gainingAt(['medium', 'high'], 'no_gain', tried), { quality: 'low' })
    expect(tried).toEqual(['low', 'medium'])
  })

  it.each<Reason>(['signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'])('%s is so at every level', async (reason) => {
    const tried: Quality[] = []
    await expectUnchanged(gainingAt(['high'], reason, tried), { reason }, { quality: 'low' })
    expect(tried).toEqual(['low'])
  })

  it('a format that loses nothing has one level', async () => {
    const tried: Quality[] = []
    await expectUnchanged(gainingAt(['high'], 'no_gain', tried, TEXT), { reason: 'no_gain' }, { quality: 'low' })
    expect(tried).toEqual(['low'])
  })

  it('a level that lies is not the end: the next one may tell the truth', async () => {
    const codec = claiming(lossless, SMALL, {
      async compress(_source, sink, { quality }) {
        await sink.write(SMALL.slice())
        return quality === 'high' ? picture(0.99, 44) : picture(0.89, 44)
      },
    })
    expect((await pressed(codec, { quality: 'low' })).outcome).toEqual(picture(0.99, 44))
  })
})

describe('the ladder', () => {
  const LEVELS = ['ultra', 'low', 'medium', 'high'] as const

  it.each(LEVELS)('%s considers every gentler level once, the nearest first', (quality) => {
    expect(GENTLER[quality]).toEqual(LEVELS.slice(LEVELS.indexOf(quality) + 1))
  })

  it('levels that aim at the same in a picture are not tried twice', () => {
    expect(gentlerTargets('ultra')).toEqual(['medium', 'high'])
    for (const quality of ['low', 'medium', 'high'] as const) expect(gentlerTargets(quality)).toEqual(GENTLER[quality])
  })
})

describe('files inside files', () => {
  const inner = (codec: Codec) =>
    optionsOf(JPG, { text: { ...codec, format: TEXT } }, { quality: 'high' }).inner.compress(UPLOAD, 'a.txt', { output: 'zst' })

  it('an honest codec is borrowed', async () => {
    expect(await inner(claiming(lossless))).toEqual({ kind: 'compressed', bytes: SMALL, output: 'zst', outcome: lossless })
  })

  it.each<[string, Codec, Reason]>([
    ['larger', claiming(lossless, new Uint8Array(UPLOAD.length)), 'no_gain'],
    ['SSIM 0.89', claiming(picture(0.89, 40)), 'below_floor'],
    ['not equal', claiming(lossless, SMALL, { verify: async () => ({ equal: false, difference: 'x' }) }), 'unsupported_feature'],
    ['a trap', claiming(lossless, SMALL, { compress: fails(new WebAssembly.RuntimeError('x')) }), 'malformed'],
  ])('a lying codec (%s) leaves an inner file as it is', async (_, codec, reason) => {
    expect(await inner(codec)).toEqual({ kind: 'unchanged', reason })
  })
})
