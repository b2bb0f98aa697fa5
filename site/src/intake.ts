/** Files that come by dragging, by the clipboard, and from other apps. */

import { SHARED_CACHE } from './links.ts'
import { droppedFiles } from './shared/dropped.ts'

/** Named pictures of the clipboard: the browser calls all of them `image.png`. */
const named = (blob: Blob): File => new File([blob], `pasted.${blob.type.split('/')[1]?.split('+')[0] ?? 'png'}`, { type: blob.type })

/** Reads pictures from the clipboard, for the button. @throws if there is none, or the person does not allow it */
export async function pastedFiles(): Promise<File[]> {
  const items = await navigator.clipboard.read()
  const files: File[] = []
  for (const item of items) {
    const type = item.types.find((one) => one.startsWith('image/'))
    if (type !== undefined) files.push(named(await item.getType(type)))
  }
  if (files.length === 0) throw new Error('no picture')
  return files
}

/** Files that another app shared with the installed page. The service worker has kept them. */
export async function sharedFiles(): Promise<File[]> {
  const cache = await caches.open(SHARED_CACHE)
  const files: File[] = []
  for (const request of await cache.keys()) {
    const answer = await cache.match(request)
    if (answer) {
      const blob = await answer.blob()
      files.push(new File([blob], decodeURIComponent(request.url.split('/').at(-1) ?? 'file'), { type: blob.type }))
    }
    await cache.delete(request)
  }
  return files
}

interface Handlers {
  readonly onFiles: (files: readonly File[]) => void
  /** Called with the number of files over the page, or `undefined` when they have left. */
  readonly onDragged: (count: number | undefined) => void
}

/** Makes the whole page accept dropped and pasted files. @returns a function that ends this */
export function acceptFiles({ onFiles, onDragged }: Handlers): () => void {
  const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
  const over = (event: DragEvent) => {
    if (!isFiles(event)) return
    event.preventDefault()
    onDragged(event.dataTransfer?.items.length ?? 1)
  }
  const leave = (event: DragEvent) => {
    // Leaving an element for one inside the page is no leaving.
    if (event.relatedTarget === null) onDragged(undefined)
  }
  const drop = (event: DragEvent) => {
    if (!isFiles(event)) return
    event.preventDefault()
    onDragged(undefined)
    void droppedFiles(event.dataTransfer).then(onFiles)
  }
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])].map((file) => (file.name === 'image.png' ? named(file) : file))
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  addEventListener('dragover', over)
  addEventListener('dragleave', leave)
  addEventListener('drop', drop)
  addEventListener('paste', paste)
  return () => {
    removeEventListener('dragover', over)
    removeEventListener('dragleave', leave)
    removeEventListener('drop', drop)
    removeEventListener('paste', paste)
  }
}
