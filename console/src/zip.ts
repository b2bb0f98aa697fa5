/** Creates one ZIP of several results in the browser, without recompression. */
import { downloadZip } from 'client-zip'
import { distinctNames, saveBlob } from '../../site/src/save.ts'
import { resultOf, type Task } from './api.ts'

/** @throws Refusal if a result cannot be downloaded */
export async function saveAsZip(tasks: readonly Task[], name: string): Promise<void> {
  saveBlob(await downloadZip(entries(tasks)).blob(), name)
}

async function* entries(tasks: readonly Task[]) {
  const names = distinctNames(tasks.map((task) => task.output_name ?? task.file_name))
  for (const [i, task] of tasks.entries()) yield { name: names[i]!, input: await resultOf(task), lastModified: new Date(task.created_at) }
}
