/** Sends files to a running service and waits for their tasks. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Running } from './running.ts'

export interface Task {
  task_id: string
  status: string
  result?: { outcome: string; reason?: string; sha256: string }
}

/** Client with the development key of the enterprise plan. */
export class Tasks {
  readonly #service: Running

  constructor(service: Running) {
    this.#service = service
  }

  async ask<T>(path: string, init: RequestInit = {}): Promise<T> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#service.keys.enterprise}` }
    return (await fetch(this.#service.baseUrl + path, { ...init, headers })).json() as Promise<T>
  }

  upload(file: string, fields: Record<string, string> = {}, prefer = 'respond-async'): Promise<Task> {
    const body = new FormData()
    for (const [field, value] of Object.entries(fields)) body.append(field, value)
    body.append('file', new Blob([readFileSync(file)]), basename(file))
    return this.ask('/v1/compress', { method: 'POST', body, headers: { prefer } })
  }

  /** Waits until the task has ended. */
  async ended(task: Task): Promise<Task> {
    while (task.status === 'pending' || task.status === 'processing')
      task = await this.ask<Task>(`/v1/tasks/${task.task_id}`, { headers: { prefer: 'wait=30' } })
    return task
  }
}
