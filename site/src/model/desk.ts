/** Holds the files of the page and has them compressed. Every change makes a new state, and listeners are told. */

import { GuestRefused, type GuestService } from '../guests/guest-service.ts'
import type { Language } from '../language.ts'
import { formatFacts } from './facts.ts'
import {
  type Attempt,
  currentSettings,
  type DeskState,
  type Item,
  levelSettings,
  NO_GUESTS,
  needsService,
  type Place,
  sendable,
} from './items.ts'
import { type Pool, WorkerEnded } from './pool.ts'
import type { Answer, Compressed, Finding, FormatId, Settings } from './protocol.ts'
import { DEFAULTS, type Own, settingsKey } from './settings.ts'

/** Largest file in bytes that the page compresses. */
export const MAX_FILE_BYTES = 200_000_000
/** Most files in the list. */
export const MAX_FILES = 500

const PRIORITY = { check: 2, current: 1, otherLevel: 0 } as const

interface DeskOptions {
  /** Workers that compress. */
  readonly pool: Pick<Pool, 'run'>
  /** Worker that finds out formats, so that the list is complete while large files are compressed. */
  readonly scout: Pick<Pool, 'run'>
  /** The service, for files that this page cannot compress. */
  readonly guests: Pick<GuestService, 'facts' | 'compress'>
  readonly language: () => Language
  /** True: this device has memory for large jobs. */
  readonly isRoomy: boolean
}

export class Desk {
  #state: DeskState = { items: [], common: DEFAULTS, openId: undefined, leftOut: 0, guest: NO_GUESTS }
  readonly #options: DeskOptions
  readonly #listeners = new Set<() => void>()
  /** Running and waiting compressions by `jobName`. */
  readonly #jobs = new Map<string, AbortController>()
  #nextId = 1
  /** True while the service is asked whether it has guests. */
  #isAsking = false

  constructor(options: DeskOptions) {
    this.#options = options
  }

  get state(): DeskState {
    return this.#state
  }

  /** Calls `listener` after every change. @returns a function that ends this */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds files to the list. */
  add(files: readonly File[]): void {
    const room = Math.max(0, MAX_FILES - this.#state.items.length)
    const added = files.slice(0, room).map((file): Item => {
      const place = file.size > MAX_FILE_BYTES ? 'large' : 'reading'
      return { id: this.#nextId++, file, place, format: undefined, own: {}, wantsLevels: false, attempts: new Map() }
    })
    const isOnly = this.#state.items.length === 0 && added.length === 1
    this.#set({ items: [...this.#state.items, ...added], leftOut: files.length - added.length, ...(isOnly && { openId: added[0]?.id }) })
    if (isOnly && added[0]) this.#change(added[0].id, { wantsLevels: true })
    for (const { id, place } of added) if (place === 'reading') void this.#identify(id)
  }

  /** Removes a file and stops its compressions. */
  remove(id: number): void {
    this.#abort((job) => job.startsWith(`${id} `))
    const items = this.#state.items.filter((item) => item.id !== id)
    this.#set({ items, ...(this.#state.openId === id && { openId: undefined }) })
  }

  /** Removes all files. The options stay. */
  clear(): void {
    this.#abort(() => true)
    this.#set({ items: [], openId: undefined, leftOut: 0, guest: { ...this.#state.guest, sent: 0 } })
  }

  /** Stops all compressions. Results stay. */
  stop(): void {
    this.#abort(() => true, { state: 'stopped' })
  }

  /** Opens the details of a file, or closes them. */
  open(id: number | undefined): void {
    this.#set({ openId: id })
    if (id === undefined) return
    this.#change(id, { wantsLevels: true })
    this.#update()
  }

  /** Changes options of all files. */
  setCommon(change: Own): void {
    this.#set({ common: { ...this.#state.common, ...change } as Settings })
    this.#update()
  }

  /** Changes options of one file. */
  setOwn(id: number, change: Own): void {
    const item = this.#find(id)
    if (item) this.#change(id, { own: { ...item.own, ...change } })
    this.#update()
  }

  /** Does what the row of a file offers: another output, or a larger result. A file that the service has is sent again at once. */
  accept(id: number, offer: Own): void {
    this.setOwn(id, offer)
    if (this.#find(id)?.place === 'guest') this.send(id)
  }

  /** Packs a file of an unknown type, so that its bytes stay as they are. */
  pack(id: number): void {
    this.#change(id, { place: 'here', format: 'data', own: { output: 'zst' } })
    this.#update()
  }

  /** Notes whether the person lets the page send files that it cannot compress. If so, these are sent, and later ones too. */
  decide(consent: 'given' | 'declined'): void {
    this.#set({ guest: { ...this.#state.guest, consent } })
    this.#update()
  }

  /** Sends one file to the service, because the person asked for it. */
  send(id: number): void {
    const item = this.#find(id)
    const settings = item && currentSettings(item, this.#state.common)
    if (!item || !settings) return
    const key = settingsKey(settings)
    const sent = { ...item, place: 'guest', attempts: new Map([...item.attempts].filter(([name]) => name !== key)) } as const
    const { guest } = this.#state
    this.#change(id, sent)
    this.#set({ guest: { ...guest, sent: guest.sent + (item.place === 'guest' ? 0 : 1) } })
    void this.#compress(sent, settings, PRIORITY.current)
  }

  /** Runs a compression again that was stopped or failed. */
  again(id: number): void {
    const item = this.#find(id)
    if (!item) return
    if (item.place === 'guest') {
      this.send(id)
      return
    }
    const attempts = new Map([...item.attempts].filter(([, { state }]) => state !== 'stopped' && state !== 'failed'))
    this.#change(id, { attempts })
    if (item.place === 'unreadable') {
      this.#change(id, { place: 'reading' })
      void this.#identify(id)
    } else this.#update()
  }

  /** Decodes both files again and measures every figure of the receipt. @throws Error if the worker cannot do it */
  async verify(file: File, { result, receipt }: Compressed): Promise<readonly Finding[]> {
    const answer = await this.#options.pool.run({ type: 'verify', file, result, receipt }, { priority: PRIORITY.check })
    if (answer.type !== 'verified') throw new Error('the worker could not check the receipt')
    return answer.findings
  }

  #find(id: number): Item | undefined {
    return this.#state.items.find((item) => item.id === id)
  }

  #set(change: Partial<DeskState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  #change(id: number, change: Partial<Item>): void {
    this.#set({ items: this.#state.items.map((item) => (item.id === id ? { ...item, ...change } : item)) })
  }

  #attempt(id: number, key: string, attempt: Attempt): void {
    const item = this.#find(id)
    if (item) this.#change(id, { attempts: new Map(item.attempts).set(key, attempt) })
  }

  async #identify(id: number): Promise<void> {
    const file = this.#find(id)?.file
    if (!file) return
    const answer = await this.#options.scout.run({ type: 'identify', file }, { priority: 0 }).catch(() => undefined)
    if (answer?.type !== 'identified') this.#change(id, { place: 'unreadable' })
    else {
      // The service converts such files only if a person names an output, which this page does not offer.
      const format = answer.format && formatFacts(answer.format).isOnRequest ? undefined : answer.format
      this.#change(id, { place: placeOf(format), format })
    }
    this.#update()
  }

  /** Sends the files that the person lets the page send. Asks the service first, once there is such a file. */
  #sendWaiting(): void {
    const { items, common, guest } = this.#state
    if (guest.facts === undefined && !this.#isAsking && items.some((item) => needsService(item, common))) {
      this.#isAsking = true
      void this.#options.guests.facts().then((facts) => {
        this.#isAsking = false
        this.#set({ guest: { ...this.#state.guest, facts } })
        this.#sendWaiting()
      })
    }
    if (guest.consent === 'given') for (const { id } of sendable(this.#state)) this.send(id)
  }

  /** Starts the compressions that the state needs, and stops those that nobody needs any more. */
  #update(): void {
    this.#sendWaiting()
    const wanted = new Map<string, () => void>()
    for (const item of this.#state.items) {
      const current = currentSettings(item, this.#state.common)
      // Files are sent to the service by `send` only.
      if (item.place === 'guest' && current) wanted.set(jobName(item.id, settingsKey(current)), () => undefined)
      if (item.place !== 'here') continue
      const others = item.wantsLevels && item.id === this.#state.openId ? levelSettings(item, this.#state.common) : []
      if (!current) continue
      for (const settings of [current, ...others]) {
        const key = settingsKey(settings)
        const name = jobName(item.id, key)
        const priority = settings === current ? PRIORITY.current : PRIORITY.otherLevel
        if (!wanted.has(name)) wanted.set(name, () => void this.#compress(item, settings, priority))
      }
    }
    this.#abort((job) => !wanted.has(job))
    for (const [job, start] of wanted) if (!this.#jobs.has(job)) start()
  }

  async #compress({ id, file, place }: Item, settings: Settings, priority: number): Promise<void> {
    const key = settingsKey(settings)
    if (this.#find(id)?.attempts.has(key)) return
    const controller = new AbortController()
    const { signal } = controller
    this.#jobs.set(jobName(id, key), controller)
    this.#attempt(id, key, { state: 'waiting' })
    const { pool, guests, language, isRoomy } = this.#options
    const working = (share: number) => this.#attempt(id, key, { state: 'working', share })
    const options = { priority, signal, onStart: () => working(0), onProgress: working }
    const work =
      place === 'guest'
        ? guests.compress(file, settings, options)
        : pool.run({ type: 'compress', file, settings, language: language(), isRoomy }, options)
    const attempt = await work.then(attemptOf, (error: unknown) => (signal.aborted ? undefined : failureOf(error)))
    // A stopped job has its state already.
    if (signal.aborted) return
    this.#jobs.delete(jobName(id, key))
    if (attempt) this.#attempt(id, key, attempt)
    this.#sendWaiting()
  }

  /** Stops compressions. @param left state that they keep; `undefined`: none, so that they start again when they are needed */
  #abort(isGone: (job: string) => boolean, left?: Attempt): void {
    for (const [job, controller] of this.#jobs) {
      if (!isGone(job)) continue
      this.#jobs.delete(job)
      controller.abort()
      const [id = '', ...words] = job.split(' ')
      const [item, key] = [this.#find(Number(id)), words.join(' ')]
      if (!item) continue
      const others = [...item.attempts].filter(([name]) => name !== key)
      this.#change(item.id, { attempts: new Map(left ? [...others, [key, left]] : others) })
    }
  }
}

const jobName = (id: number, key: string): string => `${id} ${key}`

const placeOf = (format: FormatId | undefined): Place =>
  format === undefined ? 'unknown' : formatFacts(format).isHere ? 'here' : 'service'

function attemptOf(answer: Answer): Attempt {
  if (answer.type === 'compressed') return { state: 'done', result: answer }
  if (answer.type === 'unreachable') return { state: 'unreachable', bestSize: answer.bestSize }
  return answer.type === 'refused' ? { state: 'failed', why: answer.why, text: answer.text } : { state: 'failed', why: 'error', text: '' }
}

function failureOf(error: unknown): Attempt {
  if (error instanceof WorkerEnded) return { state: 'failed', why: 'ended', text: error.message }
  if (error instanceof GuestRefused) return { state: 'failed', why: 'refused', text: error.message }
  return { state: 'failed', why: 'error', text: String(error) }
}
