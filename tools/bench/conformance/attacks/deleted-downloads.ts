/** Tasks that are deleted while slow clients download them: no bytes stay, neither on the disk nor in the quota. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type Figure, MB } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { Target } from './target.ts'

const TASKS = 18
const RESULT_BYTES = 8 * MB
const MOST_SECONDS = 120
/** The list of accounts consists of small files, and results are larger. */
const SMALL_BYTES = 1 * MB
const DATABASE = /\.sqlite(-shm|-wal)?$/

export const deletedDownloads: Attack = {
  name: 'deleted-downloads',
  title: `${TASKS} results of 8 MB that are deleted while nobody reads their downloads`,
  async run() {
    await using target = await Target.start()
    const accounts = await Promise.all(Array.from({ length: 3 }, () => target.account('enterprise')))
    const tasks: { key: string; id: string }[] = []
    for (let at = 0; at < TASKS; at++) {
      const { key } = accounts[at % accounts.length]!
      tasks.push({ key, id: await target.result(key, RESULT_BYTES) })
    }
    const rest = target.workerdBytes()
    const sockets = tasks.map(({ key, id }) => target.open([`GET /v1/tasks/${id}/download HTTP/1.1`, `Authorization: Bearer ${key}`]))
    await sleep(3000)
    const neighbour = await Neighbour.beside(target)
    const answers = await Promise.all(tasks.map(({ key, id }) => target.call(key, `/v1/tasks/${id}`, { method: 'DELETE' })))
    const statuses = await Promise.all(tasks.map(async ({ key, id }) => (await target.call(key, `/v1/tasks/${id}/download`)).status))
    let open = sockets.length
    for (const socket of sockets) socket.once('close', () => open--)
    for (let left = MOST_SECONDS; left > 0 && open > 0; left--, await sleep(1000))
      for (const socket of sockets) if (!socket.closed) socket.write('\r\n')
    return [
      { what: 'deletions that failed', value: answers.filter(({ ok }) => !ok).length, unit: '', most: 0 },
      // 404, or 503 while the stalled downloads take all places of the key.
      { what: 'downloads after the deletion', value: statuses.filter((status) => status < 400).length, unit: '', most: 0 },
      { what: 'connections that are still open', value: open, unit: '', most: 0 },
      ...(await leftBytes(target, accounts)),
      { what: 'memory of workerd beyond its rest', value: (target.workerdBytes() - rest) / MB, unit: 'MB', most: 100 },
      ...(await neighbour.leave()),
    ]
  },
}

async function leftBytes(target: Target, accounts: readonly { key: string }[]): Promise<Figure[]> {
  let [stored, files] = [0, 0]
  for (const { key } of accounts) stored += ((await (await target.call(key, '/v1/usage')).json()) as { storage_used: number }).storage_used
  const folder = join(target.state, 'v3')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (!DATABASE.test(name) && (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > SMALL_BYTES) files++
  return [
    { what: 'bytes that the quota still counts', value: stored, unit: '', most: 0 },
    { what: 'large files of the state', value: files, unit: '', most: 0 },
  ]
}
