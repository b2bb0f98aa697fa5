/** A batch of one account in front of another account's file (review S4): the accounts take turns. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, timed } from './attack.ts'
import { noisyPicture } from './heavy-file.ts'
import { Target } from './target.ts'

const FILES = 20
/** Width and height of the pictures in pixels. One takes 3 CPU seconds, and is too large for the quick lane. */
const SIDE = 700
const MOST_FACTOR = 2

export const unfairBatches: Attack = {
  name: 'unfair-batches',
  title: `a file behind ${FILES} files of another account`,
  async run() {
    await using target = await Target.start()
    const [attacker, neighbour] = [await target.account('enterprise'), await target.account('enterprise')]
    const picture = noisyPicture(SIDE)
    const compress = () => timed(() => untilCompleted(target, neighbour.key, picture))
    // The first file starts the codec; it is not measured.
    await compress()
    const alone = await compress()
    await sendBatch(target, attacker.key, picture)
    const behind: number[] = []
    // The neighbour arrives at the beginning, in the middle and near the end of a file of the other account.
    for (const share of [0.1, 0.5, 0.8]) {
      await sleep(share * alone)
      behind.push(await compress())
    }
    const { waiting } = await openTasks(target, attacker.key)
    const mean = behind.reduce((sum, ms) => sum + ms, 0) / behind.length
    return [
      { what: 'file alone', value: alone / 1000, unit: 's' },
      { what: `file behind ${FILES} of another account, mean of ${behind.length}`, value: mean / 1000, unit: 's' },
      { what: 'slowest of them', value: Math.max(...behind) / 1000, unit: 's' },
      { what: 'files of the other account that have not ended by then', value: waiting, unit: '' },
      { what: 'mean time behind the others, as a multiple of the time alone', value: mean / alone, unit: '×', most: MOST_FACTOR },
    ]
  },
}

async function untilCompleted(target: Target, key: string, file: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await target.upload(key, file, 'picture.png', { Prefer: 'wait=60' })
  const { status } = (await response.json()) as { status: string }
  if (status !== 'completed') throw new Error(`The file of the neighbour is ${status} after 60 s.`)
}

async function sendBatch(target: Target, key: string, file: Uint8Array<ArrayBuffer>): Promise<void> {
  const body = new FormData()
  for (let at = 0; at < FILES; at++) body.append('files[]', new Blob([file]), `${at}.png`)
  const response = await target.call(key, '/v1/batch/compress', { method: 'POST', body })
  if (!response.ok) throw new Error(`The batch failed with HTTP ${response.status}: ${await response.text()}`)
}

async function openTasks(target: Target, key: string): Promise<{ waiting: number }> {
  const { tasks } = (await (await target.call(key, '/v1/tasks?limit=100')).json()) as { tasks: { status: string }[] }
  return { waiting: tasks.filter(({ status }) => status === 'pending' || status === 'processing').length }
}
