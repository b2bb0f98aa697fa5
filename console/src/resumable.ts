/** Resumable uploads of large files (tus 1.0.0). They continue after a lost connection, a restart of the service, or a reload of the page. */
import { type ActiveUpload, call, Refusal, refused, type Said, type Task } from './api.ts'
import { base, mark } from './connection.ts'

/** File size in bytes from which uploads are resumable. */
export const RESUMABLE_BYTES = 32 * 1024 * 1024
const CHUNK_BYTES = 16 * 1024 * 1024
/** Time in ms within which a restarted service responds again. */
const MOST_SILENCE_MS = 120_000
const LONGEST_PAUSE_MS = 5000

const tus = () => ({ ...mark(), 'Tus-Resumable': '1.0.0' })

/** Session storage key of a file's upload address in this tab. */
const memoryOf = (file: File) => `whittle-upload/${file.name}/${file.size}/${file.lastModified}`

export async function uploadInChunks(file: File, wishes: Readonly<Record<string, string>>, sending: ActiveUpload): Promise<Task> {
  const memory = memoryOf(file)
  const persistence = new Persistence()
  let path = sessionStorage.getItem(memory)
  let offset = path === null ? undefined : await persistence.go(() => offsetOf(path!))
  if (path === null || offset === undefined) {
    path = await persistence.go(() => create(file))
    sessionStorage.setItem(memory, path)
    offset = 0
  }
  const upload = path
  for (let at = offset; at < file.size; ) {
    sending.signal.throwIfAborted()
    const from = at
    at = await persistence.go(async () => {
      const sent = await append(upload, file, from, sending)
      const now = sent ?? (await offsetOf(upload))
      if (now === undefined) throw new Refusal(404, 'The service has forgotten this upload; please try again.')
      return now
    })
  }
  const asked = Object.fromEntries(Object.entries(wishes).filter(([, value]) => value))
  const task = await persistence.go(() => call<Task>('POST', '/v1/compress', { ...asked, upload: upload.split('/').at(-1)! }))
  sessionStorage.removeItem(memory)
  return task
}

/** Retries a request while the service does not respond or asks to retry. */
class Persistence {
  #heardMs = Date.now()

  async go<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const done = await work()
        this.#heardMs = Date.now()
        return done
      } catch (problem) {
        const status = problem instanceof Refusal ? problem.status : 400
        const silenceMs = Date.now() - this.#heardMs
        if ((status > 0 && status < 500) || silenceMs > MOST_SILENCE_MS) throw problem
        await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, 200 + silenceMs / 4)))
      }
    }
  }
}

async function ask(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(path, { method, headers: { ...tus(), ...headers } }).catch(() => {
    throw new Refusal(0, 'The service cannot be reached.')
  })
}

async function create(file: File): Promise<string> {
  const name = btoa(Array.from(new TextEncoder().encode(file.name), (byte) => String.fromCharCode(byte)).join(''))
  const answer = await ask('POST', `${base()}/v1/uploads`, { 'Upload-Length': `${file.size}`, 'Upload-Metadata': `filename ${name}` })
  if (!answer.ok) throw refused(answer.status, (await answer.json().catch(() => null)) as Said | null)
  return new URL(answer.headers.get('Location')!, location.href).pathname
}

/** Bytes that the service stored. `undefined`: the upload no longer exists. */
async function offsetOf(path: string): Promise<number | undefined> {
  const answer = await ask('HEAD', path, {})
  if (answer.status === 404) return undefined
  if (!answer.ok) throw refused(answer.status, null)
  return Number(answer.headers.get('Upload-Offset'))
}

/**
 * Sends a chunk with progress, which `fetch` does not report.
 * @returns offset of the next chunk; `undefined`: the upload has another offset
 */
function append(path: string, file: File, offset: number, { progress, signal }: ActiveUpload): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PATCH', path)
    const headers = { ...tus(), 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': `${offset}` }
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.onprogress = (event) => progress((offset + event.loaded) / file.size)
    // An interrupted chunk may be partly stored; the service reports how much.
    signal.addEventListener('abort', () => {
      request.abort()
      reject(new Refusal(499, 'Cancelled.'))
    })
    request.onerror = () => offsetOf(path).then(resolve, reject)
    request.onload = () => {
      if (request.status === 204) resolve(Number(request.getResponseHeader('Upload-Offset')))
      else if (request.status === 409) resolve(undefined)
      else reject(refused(request.status, request.response as Said | null))
    }
    request.send(file.slice(offset, offset + CHUNK_BYTES))
  })
}
