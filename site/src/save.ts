/** Saves results: one file, or all of them in one ZIP whose entries are stored as they are. */
import type { Compressed } from './model/protocol.ts'

/** Milliseconds after which the address of a saved file ends. By then, the browser has begun to read it. */
const KEPT_MS = 60_000

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

/** Names that differ: the second `photo.jpg` becomes `photo-2.jpg`. Case does not count, because file systems ignore it. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let found = name
    for (let count = 2; taken.has(found.toLowerCase()); count++) found = name.replace(/(\.[^.]*)?$/, `-${count}$1`)
    taken.add(found.toLowerCase())
    return found
  })
}

export async function saveAll(results: readonly Compressed[]): Promise<void> {
  const { downloadZip } = await import('client-zip')
  const names = distinctNames(results.map(({ name }) => name))
  const entries = results.map(({ result }, index) => ({ name: names[index]!, input: result, lastModified: new Date() }))
  saveBlob(await downloadZip(entries).blob(), 'whittle.zip')
}
