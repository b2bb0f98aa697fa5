/** Files of a drop event, including those in folders. What cannot be read is left out. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  // Entries and files must be read before the first `await`; afterwards the event's data is empty.
  const plain = [...(data?.files ?? [])]
  const items = [...(data?.items ?? [])].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  if (items.every(({ entry }) => entry === null)) return plain
  // WebKit has no path for a file that another page made, so its entry cannot be read. The file itself can.
  const found = items.map(({ entry, file }) => (entry?.isDirectory ? filesIn(entry) : file ? [file] : []))
  return (await Promise.all(found)).flat()
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  try {
    return entry.isFile ? [await fileOf(entry as FileSystemFileEntry)] : await filesBelow(entry as FileSystemDirectoryEntry)
  } catch {
    return []
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

async function filesBelow(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader()
  const all: File[] = []
  for (;;) {
    // `readEntries` returns about 100 entries per call, and an empty list at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    for (const one of some) for (const file of await filesIn(one)) all.push(file)
  }
}
