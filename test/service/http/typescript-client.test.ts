/** Tests of the TypeScript client inside workerd, over a binding instead of the network. */
import { exports } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Whittle } from '../../../packages/clients/typescript/src/index.ts'
import { BASE, member, TEXT } from './client.ts'

it('uploads bytes and streams, downloads the result, and detects a damaged one, in a Worker', async () => {
  const { key } = await member()
  let damage = false
  const binding: typeof fetch = async (input, init) => {
    const answer = await exports.default.fetch(new Request(input, init))
    return damage && String(input).endsWith('/download') ? new Response('something else') : answer
  }
  const whittle = new Whittle({ baseUrl: BASE, key, fetch: binding })
  const bytes = new Uint8Array(new TextEncoder().encode(TEXT))
  const source = {
    name: 'notes.txt',
    size: bytes.length,
    stream: (begin: number, end: number) => new Blob([bytes.subarray(begin, end)]).stream(),
  }
  for (const content of [bytes, source]) {
    const task = await whittle.compress(content, { format: 'gz' }, { name: 'notes.txt' })
    expect([task.output_name, task.original_size]).toEqual(['notes.txt.gz', bytes.length])
    const result = new Blob([await whittle.download(task)]).stream().pipeThrough(new DecompressionStream('gzip'))
    expect(await new Response(result).text()).toBe(TEXT)
    damage = true
    await expect(whittle.download(task)).rejects.toMatchObject({ name: 'DamagedError' })
    damage = false
    await whittle.remove(task.task_id)
  }
  await expect(whittle.submit(new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ name: 'ApiError', type: 'unsupported_format' })
})
