/** Pictures on the fly over HTTP, with real encoders and an origin on this machine. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { imageUrl } from '../../packages/clients/typescript/src/images.ts'
import { ORIGIN_PHOTO as PHOTO, type PictureServer, servePictures } from '../support/picture-origin.ts'
import { type Running, startService } from './running.ts'

let service: Running
let origin: PictureServer
let key: { key: string; secret: string }

beforeAll(async () => {
  service = await startService()
  origin = await servePictures()
  const answer = await fetch(`${service.baseUrl}/v1/image-origins/photos`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${service.keys.enterprise}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ origin: origin.address }),
  })
  const { image_key, image_secret } = (await answer.json()) as Record<string, string>
  key = { key: image_key!, secret: image_secret! }
})
afterAll(async () => {
  await origin?.[Symbol.asyncDispose]()
  await service?.stop()
})

async function get(path: string, options: string, headers: Record<string, string> = {}) {
  const answer = await fetch(await imageUrl(service.baseUrl, key, `photos/${path}`, options), { headers })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()), outcome: answer.headers.get('Whittle-Outcome') }
}

/** Requests a picture until its variant is there. */
async function variant(path: string, options: string, headers: Record<string, string> = {}) {
  for (;;) {
    const got = await get(path, options, headers)
    if (got.outcome !== 'pending') return got
    await new Promise((wake) => setTimeout(wake, 200))
  }
}

/** Encoding takes more than a second. */
const SLOW = 'w_640,f_avif'

const AVIF_BROWSER = { Accept: 'image/avif,image/webp,image/apng,*/*;q=0.8' }

it('sends the format that the browser accepts, at the size of the address', async () => {
  const options = 'w_160,h_160,fit_cover,f_auto'
  const avif = await variant('a.jpg', options, AVIF_BROWSER)
  expect([avif.answer.headers.get('Content-Type'), avif.bytes.toString('latin1', 8, 12), avif.outcome]).toEqual([
    'image/avif',
    'avif',
    'compressed',
  ])
  const webp = await variant('a.jpg', options, { Accept: 'image/webp,*/*' })
  expect([webp.answer.headers.get('Content-Type'), webp.bytes.toString('latin1', 8, 12)]).toEqual(['image/webp', 'WEBP'])
  const jpeg = await variant('a.jpg', options, { Accept: '*/*' })
  expect([jpeg.answer.headers.get('Content-Type'), jpeg.bytes.readUInt16BE(0)]).toEqual(['image/jpeg', 0xffd8])
  for (const { answer, bytes } of [avif, webp, jpeg]) {
    expect(answer.headers.get('Vary')).toBe('Accept')
    expect(bytes.length).toBeLessThan(PHOTO.length / 10)
  }
  expect(origin.asked.filter((path) => path === '/pictures/a.jpg')).toHaveLength(1)
})

it('sends the source first if the small picture takes long, and makes one task for ten requests', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => get('slow.jpg', SLOW)))
  for (const { answer, bytes, outcome } of answers) {
    expect(answer.status).toBe(200)
    if (outcome !== 'pending') continue
    expect(answer.headers.get('Cache-Control')).toBe('no-cache')
    expect(bytes.equals(PHOTO)).toBe(true)
  }
  expect(answers.map(({ outcome }) => outcome)).toContain('pending')
  const { answer } = await variant('slow.jpg', SLOW)
  expect(answer.headers.get('Content-Type')).toBe('image/avif')
  expect(origin.asked.filter((path) => path === '/pictures/slow.jpg')).toHaveLength(1)
  const usage = await fetch(`${service.baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${service.keys.enterprise}` } })
  const { tasks_completed } = (await usage.json()) as { tasks_completed: number }
  // Three of the first test and one of this.
  expect(tasks_completed).toBe(4)
})

it('answers with an error for a picture that is not there', async () => {
  const { answer, bytes } = await get('none.txt', 'f_auto')
  expect([answer.status, JSON.parse(bytes.toString()).error_detail.type]).toEqual([404, 'unknown_picture'])
})
