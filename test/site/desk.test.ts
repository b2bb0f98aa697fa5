/** Files of the front page: where each can be compressed, with which options, and what the page says about it. */
import './with-facts.ts'
import { describe, expect, it } from 'vitest'
import { Desk, MAX_FILE_BYTES, MAX_FILES } from '../../site/src/model/desk.ts'
import { currentAttempt, resultsOf, summaryOf } from '../../site/src/model/items.ts'
import { type JobOptions, WorkerEnded } from '../../site/src/model/pool.ts'
import type { Answer, FormatId, Question } from '../../site/src/model/protocol.ts'
import { rowWords } from '../../site/src/model/words.ts'
import { halved, NO_SERVICE, receiptOf } from './fake-workers.ts'

type Compress = Extract<Question, { type: 'compress' }>

/** A desk whose files have the format that their extension says. `compress` answers, or never does. */
function deskOf(compress: (question: Compress, options: JobOptions) => Answer | Promise<Answer>) {
  const asked: Compress[] = []
  const scout = {
    run: async (question: Question): Promise<Answer> => {
      const extension = question.file.name.split('.').at(-1)
      return { type: 'identified', format: extension === 'sketch' ? undefined : (extension as FormatId) }
    },
  }
  const pool = {
    run: async (question: Question, options: JobOptions): Promise<Answer> => {
      if (question.type !== 'compress') throw new Error('not expected')
      asked.push(question)
      options.onStart?.()
      return compress(question, options)
    },
  }
  return { desk: new Desk({ pool, scout, guests: NO_SERVICE, language: () => 'en', isRoomy: true }), asked }
}

const file = (name: string, size = 1000) => new File([new Uint8Array(size)], name)
/** A file of a size that is only claimed, so that tests need no memory for it. */
const largeFile = (name: string, size: number) => Object.defineProperty(file(name, 1), 'size', { value: size })
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
const never = () => new Promise<Answer>(() => undefined)
const wordsOf = (desk: Desk) => desk.state.items.map((item) => rowWords(item, desk.state.common))

it('compresses what it can, and says what else helps', async () => {
  const { desk, asked } = deskOf(halved)
  desk.add([file('a.jpg'), file('film.mp4'), file('plan.sketch'), largeFile('b.pdf', MAX_FILE_BYTES + 1)])
  await settled()
  expect(desk.state.items.map(({ place }) => place)).toEqual(['here', 'service', 'unknown', 'large'])
  expect(wordsOf(desk).map(({ action }) => action?.type)).toEqual(['download', 'sign-in', 'pack', 'sign-in'])
  expect(asked.map(({ file: { name } }) => name)).toEqual(['a.jpg'])
  expect(summaryOf(desk.state)).toMatchObject({ count: 4, finished: 4, smaller: 1, decisions: 3, isBusy: false, before: 1000, after: 500 })
})

it('packs a file of an unknown type when the person wants it', async () => {
  const { desk, asked } = deskOf(halved)
  desk.add([file('plan.sketch')])
  await settled()
  desk.pack(desk.state.items[0]!.id)
  await settled()
  expect(asked.map(({ settings }) => settings.output)).toEqual(['zst'])
  expect(resultsOf(desk.state)).toHaveLength(1)
})

it('takes no more files than the list holds, and says how many were left out', () => {
  const { desk } = deskOf(never)
  desk.add(Array.from({ length: MAX_FILES + 3 }, (_, i) => file(`${i}.jpg`, 1)))
  expect(desk.state.items).toHaveLength(MAX_FILES)
  expect(desk.state.leftOut).toBe(3)
})

describe('options', () => {
  it('compresses again with other options, and keeps earlier results', async () => {
    const { desk, asked } = deskOf(halved)
    desk.add([file('a.jpg'), file('b.png')])
    await settled()
    desk.setCommon({ quality: 'low' })
    await settled()
    desk.setCommon({ quality: 'medium' })
    await settled()
    expect(asked.map(({ settings }) => settings.quality)).toEqual(['medium', 'medium', 'low', 'low'])
  })

  it('gives each file only what its format has', async () => {
    const { desk, asked } = deskOf(halved)
    desk.add([file('a.jpg'), file('b.text'), file('c.bmp')])
    await settled()
    asked.length = 0
    desk.setCommon({ output: 'webp', metadata: 'strip' })
    await settled()
    expect(asked.map(({ file: { name }, settings: { output, metadata } }) => [name, output, metadata])).toEqual([
      ['a.jpg', 'webp', 'strip'],
      ['c.bmp', 'webp', 'keep'],
    ])
  })

  it('says so when the metadata of a file cannot be removed', async () => {
    const { desk } = deskOf(halved)
    desk.add([file('a.jpg'), file('c.bmp')])
    desk.setCommon({ metadata: 'strip' })
    await settled()
    expect(wordsOf(desk).map(({ tone }) => tone)).toEqual(['good', 'warn'])
    expect(wordsOf(desk)[1]!.detail).toMatch(/metadata stays/)
  })

  it('compresses all levels of the file whose details are open, the chosen one first', async () => {
    const { desk, asked } = deskOf(halved)
    desk.add([file('a.jpg')])
    await settled()
    expect(asked.map(({ settings }) => settings.quality)).toEqual(['medium', 'low', 'high'])
    desk.setOwn(desk.state.items[0]!.id, { quality: 'high' })
    await settled()
    expect(asked).toHaveLength(3)
    expect(currentAttempt(desk.state.items[0]!, desk.state.common)?.state).toBe('done')
  })
})

describe('failures', () => {
  it('offers the smallest possible result when a size cannot be reached, and takes it', async () => {
    const { desk } = deskOf((question) => (question.settings.targetSize === 10 ? { type: 'unreachable', bestSize: 400 } : halved(question)))
    desk.add([file('a.jpg'), file('b.jpg')])
    desk.setCommon({ targetSize: 10 })
    await settled()
    const [item] = desk.state.items
    expect(rowWords(item!, desk.state.common).action).toEqual({ type: 'take', bytes: 400 })
    desk.setOwn(item!.id, { targetSize: 400 })
    await settled()
    expect(wordsOf(desk).map(({ tone }) => tone)).toEqual(['good', 'warn'])
  })

  it('says what happened when a worker ended, an engine was missing, or a file is damaged', async () => {
    const { desk } = deskOf(({ file: given }) => {
      if (given.name === 'ended.jpg') throw new WorkerEnded('out of memory')
      if (given.name === 'offline.jpg') return { type: 'refused', why: 'offline', text: 'Failed to fetch' }
      if (given.name === 'defect.jpg') return { type: 'refused', why: 'error', text: 'x is not a function' }
      const receipt = receiptOf(given, given.size, { outcome: 'unchanged', reason: 'malformed', detail: 'jpg, byte 3: no marker' })
      return { type: 'compressed', result: given, name: given.name, receipt, usedMore: false }
    })
    desk.add(['ended.jpg', 'offline.jpg', 'defect.jpg', 'damaged.jpg'].map((name) => file(name)))
    await settled()
    const words = wordsOf(desk)
    expect(words.map(({ tone, action }) => [tone, action?.type])).toEqual([
      ['bad', 'sign-in'],
      ['warn', 'again'],
      ['bad', undefined],
      ['bad', undefined],
    ])
    expect(words[3]!.detail).toContain('no marker')
    expect(summaryOf(desk.state)).toMatchObject({ failed: 4, isBusy: false })
  })

  it('stops everything, keeps the results, and starts again when asked', async () => {
    const { desk, asked } = deskOf((question) => (question.file.name === 'a.jpg' ? halved(question) : never()))
    desk.add([file('a.jpg'), file('b.jpg')])
    await settled()
    desk.stop()
    expect(wordsOf(desk).map(({ title, action }) => action?.type ?? title)).toEqual(['download', 'again'])
    expect(summaryOf(desk.state).isBusy).toBe(false)
    desk.again(desk.state.items[1]!.id)
    await settled()
    expect(asked.map(({ file: { name } }) => name)).toEqual(['a.jpg', 'b.jpg', 'b.jpg'])
  })

  it('aborts the work on files that are removed', async () => {
    let signal: AbortSignal | undefined
    const { desk } = deskOf((_, options) => {
      signal = options.signal
      return never()
    })
    desk.add([file('a.jpg'), file('b.sketch')])
    await settled()
    desk.remove(desk.state.items[0]!.id)
    expect(signal?.aborted).toBe(true)
    expect(desk.state.items).toHaveLength(1)
    desk.clear()
    expect(desk.state.items).toEqual([])
  })
})

it('offers the output that the library suggests for a file that cannot get smaller', async () => {
  const { desk, asked } = deskOf(({ file: given, settings }) => {
    if (settings.output) return halved({ file: given } as Compress)
    const more = { outcome: 'unchanged', reason: 'no_gain', suggestion: { format: 'webp', estimated_size: 300 } } as const
    return { type: 'compressed', result: given, name: given.name, receipt: receiptOf(given, given.size, more), usedMore: false }
  })
  desk.add([file('a.jpg'), file('b.sketch')])
  await settled()
  expect(wordsOf(desk)[0]).toMatchObject({ title: 'Unchanged', action: { type: 'output', output: 'webp' } })
  desk.setOwn(desk.state.items[0]!.id, { output: 'webp' })
  await settled()
  expect(asked.map(({ settings }) => settings.output)).toEqual([undefined, 'webp'])
})
