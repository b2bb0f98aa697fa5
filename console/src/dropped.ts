/** The files of a drop, also those in folders. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  // Both must be asked for before anything is awaited: afterwards the drop is empty.
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
    // A hundred or so at a time, until none come.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    for (const one of some) for (const file of await filesIn(one)) all.push(file)
  }
}
