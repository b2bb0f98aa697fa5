/** Files that the front page sends to the service without an account: only after the person has agreed, and only those it cannot compress. */
import './with-facts.ts'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../../packages/clients/typescript/src/event-stream.ts'
import { type GuestOptions, GuestRefused } from '../../site/src/guests/guest-service.ts'
import { Desk } from '../../site/src/model/desk.ts'
import { currentAttempt, sendable, summaryOf } from '../../site/src/model/items.ts'
import { WorkerEnded } from '../../site/src/model/pool.ts'
import type { Answer, FormatId, Question } from '../../site/src/model/protocol.ts'
import { rowWords } from '../../site/src/model/words.ts'
import { halved, receiptOf } from './fake-workers.ts'

const FACTS = { maxBytes: 5000, keptSeconds: 3600 }

/** A desk with a service that notes the names of the files that it gets. */
function deskOf({ facts = FACTS as typeof FACTS | null, here = halved as (question: Question & { type: 'compress' }) => Answer } = {}) {
  const sent: string[] = []
  const service = { answer: (file: File): Answer => halved({ type: 'compress', file } as Question & { type: 'compress' }) }
  const run = async (question: Question): Promise<Answer> =>
    question.type === 'identify'
      ? { type: 'identified', format: question.file.name.split('.').at(-1) as FormatId }
      : here(question as Question & { type: 'compress' })
  const guests = {
    facts: async () => facts,
    compress: async (file: File, _: unknown, { onStart }: GuestOptions): Promise<Answer> => {
      sent.push(file.name)
      onStart()
      return service.answer(file)
    },
  }
  const desk = new Desk({ pool: { run }, scout: { run }, guests, language: () => 'en', isRoomy: true })
  return { desk, sent, service }
}

const file = (name: string, size = 1000) => new File([new Uint8Array(size)], name)
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))
const wordsOf = ({ state }: Desk, name: string) => rowWords(state.items.find((item) => item.file.name === name)!, state.common, state.guest)
const namesOf = (desk: Desk) => sendable(desk.state).map((item) => item.file.name)

describe('a file that this page cannot compress', () => {
  it('waits for the answer of the person, and is sent after it, with those that follow', async () => {
    const { desk, sent } = deskOf()
    desk.add([file('a.jpg'), file('film.mp4')])
    await settled()
    expect(namesOf(desk)).toEqual(['film.mp4'])
    expect(sent, 'nothing leaves before').toEqual([])
    expect(wordsOf(desk, 'film.mp4').action).toBeUndefined()
    desk.decide('given')
    await settled()
    desk.add([file('b.jpg'), file('song.mp3')])
    await settled()
    expect(sent).toEqual(['film.mp4', 'song.mp3'])
    expect(desk.state.guest.sent).toBe(2)
    expect(namesOf(desk)).toEqual([])
    expect(summaryOf(desk.state)).toMatchObject({ smaller: 4, isBusy: false })
  })

  it('stays if the person says no, and can be sent alone', async () => {
    const { desk, sent } = deskOf()
    desk.add([file('film.mp4'), file('song.mp3')])
    await settled()
    desk.decide('declined')
    await settled()
    expect(sent).toEqual([])
    expect(wordsOf(desk, 'song.mp3').action).toEqual({ type: 'send' })
    desk.send(desk.state.items[1]!.id)
    await settled()
    expect(sent).toEqual(['song.mp3'])
    expect(wordsOf(desk, 'song.mp3').action).toEqual({ type: 'download' })
  })

  it('is not sent if it is larger than guests may send, or if the service has no guests', async () => {
    const { desk, sent } = deskOf()
    desk.add([file('film.mp4', 5001)])
    desk.decide('given')
    await settled()
    expect(sent).toEqual([])
    expect(wordsOf(desk, 'film.mp4')).toMatchObject({ action: { type: 'sign-in' }, detail: expect.stringContaining('5.00') })
    const without = deskOf({ facts: null })
    without.desk.add([file('film.mp4')])
    without.desk.decide('given')
    await settled()
    expect(without.sent).toEqual([])
    expect(wordsOf(without.desk, 'film.mp4').action).toEqual({ type: 'sign-in' })
  })

  it.each([
    [
      'needs more memory',
      (original: File): Answer => ({
        ...{ type: 'compressed', result: original, name: original.name, usedMore: true },
        receipt: receiptOf(original, original.size, { outcome: 'unchanged', reason: 'over_budget' }),
      }),
    ],
    [
      'ends its worker',
      (): Answer => {
        throw new WorkerEnded('no memory')
      },
    ],
  ])('is sent if it %s', async (_, answer) => {
    const { desk, sent } = deskOf({ here: (question) => answer(question.file) })
    desk.decide('given')
    desk.add([file('large.png')])
    await settled()
    await settled()
    expect(sent).toEqual(['large.png'])
    expect(wordsOf(desk, 'large.png').action).toEqual({ type: 'download' })
  })
})

it('says why the service refused a file, and sends it again only if it is asked to', async () => {
  const { desk, sent, service } = deskOf()
  const { answer } = service
  service.answer = () => {
    throw new GuestRefused(429, 'Try again in 12 minutes.')
  }
  desk.decide('given')
  desk.add([file('film.mp4')])
  await settled()
  expect(wordsOf(desk, 'film.mp4')).toMatchObject({
    title: 'Not compressed',
    detail: 'Try again in 12 minutes.',
    action: { type: 'again' },
  })
  service.answer = answer
  desk.again(desk.state.items[0]!.id)
  await settled()
  expect(sent).toHaveLength(2)
  expect(wordsOf(desk, 'film.mp4').action).toEqual({ type: 'download' })
  expect(desk.state.guest.sent, 'one file').toBe(1)
})

it('does not send a file again because an option has changed', async () => {
  const { desk, sent } = deskOf()
  desk.decide('given')
  desk.add([file('film.mp4')])
  await settled()
  desk.setCommon({ quality: 'low' })
  await settled()
  expect(sent).toHaveLength(1)
  expect(wordsOf(desk, 'film.mp4')).toMatchObject({ title: 'Not sent', action: { type: 'send' } })
  desk.setCommon({ quality: 'medium' })
  expect(currentAttempt(desk.state.items[0]!, desk.state.common)?.state, 'the first result is still there').toBe('done')
})

it('sends a file again at once if the person takes the output that its row offers', async () => {
  const { desk, sent } = deskOf()
  desk.decide('given')
  desk.add([file('photo.heic')])
  await settled()
  desk.accept(desk.state.items[0]!.id, { output: 'jpg' })
  await settled()
  expect(sent).toHaveLength(2)
  expect(wordsOf(desk, 'photo.heic').action).toEqual({ type: 'download' })
  expect(desk.state.guest.sent, 'one file').toBe(1)
})

describe('events', () => {
  const read = async (...parts: string[]) => {
    const encoder = new TextEncoder()
    const found = []
    for await (const event of eventsOf(ReadableStream.from(parts.map((part) => encoder.encode(part))))) found.push(event)
    return found
  }

  it('are read wherever the network splits them', async () => {
    const text =
      ': beat\n\nevent: progress\nid: 1\ndata: {"progress":0.5}\n\nevent: completed\ndata: {"a":1,\ndata: "b":"é"}\n\nevent: lost\ndata: 1\n'
    const all = [
      { name: 'progress', data: '{"progress":0.5}' },
      { name: 'completed', data: '{"a":1,\n"b":"é"}' },
    ]
    for (let at = 1; at < text.length; at++) expect(await read(text.slice(0, at), text.slice(at))).toEqual(all)
  })

  it('of unlimited length are refused', async () => {
    await expect(read('data: ', 'x'.repeat(1_000_001))).rejects.toThrow('too long')
  })
})
