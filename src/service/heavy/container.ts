/** Runs the steps of one task in a container: starts it on demand, and lets it stop after a time without work. */

import { CONTAINER_PRESS_MB, type WorkerKind } from '../lanes.ts'
import type { Step } from '../tasks/run.ts'

/** Host name under which a container reaches the task API. All other network access is closed. */
export const TASK_API_HOST = 'door.whittle'
export const STEP_PORT = 8789
/** Longest time in milliseconds until the container has started and its press responds. */
const READY_MS = 120_000
const PAUSE_MS = 1000
/** Longest run of a step, in milliseconds (20 minutes). A step continues after the 15-minute limit of its queue message. */
const BUSY_MS = 20 * 60_000
/**
 * Idle time in milliseconds before the container stops, because idle containers cost money. Longer than the gap between two parts of a
 * film.
 */
const IDLE_MS = 60_000

/** Subset of the Cloudflare API `ctx.container` that Whittle uses. */
export interface Machine {
  readonly running: boolean
  start(options: { entrypoint: string[]; enableInternet: boolean; env: Record<string, string> }): void
  setInactivityTimeout(durationMs: number): Promise<void>
  getTcpPort(port: number): { fetch(url: string, init?: RequestInit): Promise<Response> }
  interceptOutboundHttp(host: string, binding: Fetcher): Promise<void>
}

/**
 * Runs a step in the container and resolves when it has ended.
 * @throws Error if the container does not start or fails
 */
export async function runStepInContainer(machine: Machine, door: Fetcher, kind: WorkerKind, step: Step, pauseMs = PAUSE_MS): Promise<void> {
  await machine.interceptOutboundHttp(TASK_API_HOST, door)
  if (!machine.running) {
    const env = { DOOR: `http://${TASK_API_HOST}`, STEP_PORT: String(STEP_PORT), PRESS_MB: String(CONTAINER_PRESS_MB) }
    machine.start({ entrypoint: ['node', 'src/local/heavy.ts'], enableInternet: false, env })
  }
  await machine.setInactivityTimeout(BUSY_MS)
  const port = machine.getTcpPort(STEP_PORT)
  await untilUp(port, Math.ceil(READY_MS / PAUSE_MS), pauseMs)
  const answer = await port.fetch('http://container/step', { method: 'POST', body: JSON.stringify({ kind, step }) })
  if (!answer.ok) throw new Error(`The container responded with HTTP status ${answer.status}: ${await answer.text()}`)
  await machine.setInactivityTimeout(IDLE_MS)
}

async function untilUp(port: ReturnType<Machine['getTcpPort']>, maxTries: number, pauseMs: number): Promise<void> {
  for (let tried = 1; ; tried++) {
    const up = await port.fetch('http://container/ready').then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) return
    if (tried === maxTries) throw new Error(`The container did not respond within ${maxTries} s of its start.`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
