/** SIGTERM while work runs (review S8a): uploads and jobs end or are handed back within 30 s, and nothing waits for a lease. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, MB, timed } from './attack.ts'
import { heavyAnimation } from './heavy-file.ts'
import { Target } from './target.ts'

const MOST_SECONDS = 30
/** Frames of the long job, which takes several CPU seconds for each. */
const FRAMES = 24
/** Time from the restart until a job that was interrupted runs again. A lease has 30 s. */
const MOST_AGAIN_SECONDS = 20
/** CPU seconds of a press process that has certainly begun the job. Its own start takes less than one. */
const WORKING_SECONDS = 3

export const drain: Attack = {
  name: 'drain',
  title: 'SIGTERM during a slow upload and a long job',
  async run() {
    await using target = await Target.start({ embedded: false })
    const { key } = await target.account('enterprise')
    const job = (await (await target.upload(key, heavyAnimation(FRAMES, 2048), 'frames.png', { Prefer: 'respond-async' })).json()) as {
      task_id: string
    }
    const statusOf = async () => ((await (await target.call(key, `/v1/tasks/${job.task_id}`)).json()) as { status: string }).status
    for (let left = 100; left > 0 && (await statusOf()) === 'pending'; left--) await sleep(100)
    const before = await statusOf()
    // 2 MB in 4 s.
    const body = slowBody(2 * MB, 4000)
    const upload = fetch(`${target.baseUrl}/v1/compress`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=xx', Prefer: 'respond-async' },
      body,
      duplex: 'half',
    } as RequestInit).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    await sleep(1000)
    const stopMs = await timed(() => target.end('SIGTERM'))
    const status = await upload
    await target.restart()
    const again = await timed(async () => {
      for (let left = 120; left > 0 && (await statusOf()) !== 'completed' && (await target.pressSeconds()) < WORKING_SECONDS; left--)
        await sleep(500)
    })
    return [
      { what: `job before SIGTERM: ${before}; after the restart: ${await statusOf()}`, value: 0, unit: '' },
      { what: 'service ended after', value: stopMs / 1000, unit: 's', most: MOST_SECONDS },
      { what: `upload on its way: ${status}`, value: status === 200 ? 0 : 1, unit: '', most: 0 },
      { what: 'job runs again after', value: again / 1000, unit: 's', most: MOST_AGAIN_SECONDS },
    ]
  },
}

function slowBody(bytes: number, ms: number): ReadableStream<Uint8Array> {
  const chunks = 20
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      if (sent === 0) controller.enqueue(Buffer.from('--xx\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'))
      if (sent++ < chunks) {
        await sleep(ms / chunks)
        controller.enqueue(Buffer.alloc(bytes / chunks, 'text of a slow client\n'))
        return
      }
      controller.enqueue(Buffer.from('\r\n--xx--\r\n'))
      controller.close()
    },
  })
}
