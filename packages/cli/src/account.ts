/** Commands that query the service: usage, tasks and their results, formats. */
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client, isUnderWay, type Task } from './client.ts'
import type { Server } from './config.ts'
import { type Destination, isFileName, moveResult, resultPath } from './place.ts'
import { download } from './remote-engine.ts'
import { formatBytes } from './show.ts'
import { openThreads } from './threads.ts'
import { CliError } from './trouble.ts'

const PAGE = 100
const WAIT_SECONDS = 10

export async function showUsage(server: Server, json: boolean): Promise<void> {
  const usage = await new Client(server).usage()
  if (json) return console.log(JSON.stringify(usage))
  for (const [name, value] of Object.entries(usage)) {
    if (typeof value === 'object') continue
    const isSize = /size|storage/.test(name)
    console.log(`${name.replaceAll('_', ' ').padEnd(18)} ${isSize ? formatBytes(Number(value)) : value}`)
  }
}

export async function showTasks(server: Server, limit: number, json: boolean): Promise<void> {
  const { tasks } = await new Client(server).tasks(limit)
  for (const task of tasks) console.log(json ? JSON.stringify(task) : rowOf(task))
}

function rowOf(task: Task): string {
  const size = `${formatBytes(task.original_size)} → ${'compressed_size' in task ? formatBytes(task.compressed_size) : '…'}`
  const when = new Date(task.created_at).toLocaleString('sv')
  return `${task.task_id}  ${when}  ${task.status.padEnd(10)} ${task.format.padEnd(9)} ${size.padEnd(20)} ${task.file_name}`
}

export async function deleteTasks(server: Server, ids: readonly string[]): Promise<void> {
  const client = new Client(server)
  for (const id of ids) console.log(`${id}: ${formatBytes((await client.remove(id)).freed_bytes)} freed`)
}

/** Deletes all completed and failed tasks. Tasks in progress remain. */
export async function deleteFinishedTasks(server: Server): Promise<void> {
  const client = new Client(server)
  let [count, freedBytes] = [0, 0]
  for (let cursor: string | undefined; ; ) {
    const { tasks, next_cursor } = await client.tasks(PAGE, cursor)
    for (const { task_id, status } of tasks) {
      if (status !== 'completed' && status !== 'failed') continue
      freedBytes += (await client.remove(task_id)).freed_bytes
      count++
    }
    if (next_cursor === null) break
    cursor = next_cursor
  }
  console.log(`${count} task${count === 1 ? '' : 's'}: ${formatBytes(freedBytes)} freed`)
}

/** Waits for the task, then saves its result as `out` or in the current folder. */
export async function downloadResult(server: Server, taskId: string, out: string | undefined, force: boolean): Promise<void> {
  const client = new Client(server)
  let task = await client.task(taskId)
  while (isUnderWay(task)) task = await client.task(taskId, WAIT_SECONDS)
  if (task.status === 'failed') throw new CliError('failed', `${taskId}: ${task.error.message}`)
  const name = basename(task.output_name)
  const place: Destination = out !== undefined && isFileName(out) ? { kind: 'file', path: out } : { kind: 'folder', folder: out ?? '.' }
  const target = { path: join('result', name), place }
  const destination = resultPath(target, name)
  const path = moveResult(await download(client, task, destination, () => undefined), destination, target, force)
  console.log(`${path}: ${formatBytes(statSync(path).size)}`)
}

/** Formats of the service, or those of this package if no service is configured. */
export async function showFormats(server: Server | undefined, json: boolean): Promise<void> {
  for (const format of await formatsOf(server)) {
    if (json) console.log(JSON.stringify(format))
    else
      console.log(
        `${format.title.padEnd(24)} ${format.extensions.map((end) => `.${end.replace(/^\./, '')}`).join(' ')} → ${format.outputs.join(', ')}`,
      )
  }
}

interface ListedFormat {
  readonly id: string
  readonly title: string
  readonly extensions: readonly string[]
  readonly outputs: readonly string[]
  readonly qualities: readonly string[]
}

/** Returns the available formats of the service, or those of this package if `server` is `undefined`. */
export async function formatsOf(server: Server | undefined): Promise<readonly ListedFormat[]> {
  if (server) return (await new Client(server).formats()).formats.filter(({ available }) => available)
  const threads = openThreads(1)
  try {
    return await threads.run('formats', {})
  } finally {
    await threads.close()
  }
}
