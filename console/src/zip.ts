/** Creates one ZIP of several results in the browser, without recompression. */
import { downloadZip } from 'client-zip'
import { downloadUrl, type Task } from './api.ts'

/** @throws Error if a result cannot be downloaded */
export async function saveAsZip(tasks: readonly Task[], name: string): Promise<void> {
  const zip = await downloadZip(entries(tasks)).blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(zip)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

async function* entries(tasks: readonly Task[]) {
  const taken = new Map<string, number>()
  for (const task of tasks) {
    const answer = await fetch(downloadUrl(task.task_id))
    if (!answer.ok) throw new Error(`${task.file_name}: ${answer.status}`)
    const name = task.output_name ?? task.file_name
    const count = (taken.get(name) ?? 0) + 1
    taken.set(name, count)
    yield { name: count === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${count}$1`), input: answer, lastModified: new Date(task.created_at) }
  }
}
