/** Files of a drop event, including those in folders. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  // Entries and files must be read before the first `await`; afterwards the event's data is empty.
  const plain = [...(data?.files ?? [])]
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return plain
  return (await Promise.all(entries.map(filesIn))).flat()
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const all: File[] = []
  for (;;) {
    // `readEntries` returns about 100 entries per call, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    for (const one of some) for (const file of await filesIn(one)) all.push(file)
  }
}
