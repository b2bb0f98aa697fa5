/** The page's side of the service worker: registers it, and has the engines saved when the page is idle. */

/** Milliseconds after the page has loaded until the engines are saved for offline use. */
const QUIET_MS = 4000

let saved = false
const listeners = new Set<() => void>()

/** True if everything of the page is on this device. */
export const isSaved = () => saved

/** Calls `listener` when everything of the page is on this device. @returns a function that ends this */
export function onSaved(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Message of the service worker when everything is saved. */
export const SAVED = 'saved'
/** Message to the service worker: save everything. */
export const SAVE = 'save'

export async function startServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (data !== SAVED) return
    saved = true
    document.documentElement.dataset['saved'] = 'yes'
    for (const listener of listeners) listener()
  })
  await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })
  const { active } = await navigator.serviceWorker.ready
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  // About five megabytes: not for people who asked browsers to save data.
  if (!connection?.saveData) setTimeout(() => active?.postMessage(SAVE), QUIET_MS)
}
