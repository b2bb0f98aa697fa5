/** One task's container: started when it is first asked for, asked to do a step, and gone when nobody has asked it for a while. */

import { CONTAINER_PRESS_MB, type Kind } from '../lanes.ts'
import type { Step } from '../tasks/run.ts'

/** The name under which a container finds the service; everything else is closed to it. */
export const DOOR_HOST = 'door.whittle'
export const STEP_PORT = 8789
/** A machine is found, and the presses are up. */
const READY_MS = 120_000
const PAUSE_MS = 1000
/** A step goes on when its queue's message has run out of time, 15 minutes. */
const BUSY_MS = 20 * 60_000
/** What waits for nothing costs memory. A film's next part comes sooner. */
const IDLE_MS = 60_000

/** What is used of `ctx.container`. */
export interface Machine {
  readonly running: boolean
  start(options: { entrypoint: string[]; enableInternet: boolean; env: Record<string, string> }): void
  setInactivityTimeout(durationMs: number): Promise<void>
  getTcpPort(port: number): { fetch(url: string, init?: RequestInit): Promise<Response> }
  interceptOutboundHttp(host: string, binding: Fetcher): Promise<void>
}

/** Resolves when nobody works on the step any more. @throws Error when there is no container, or it broke */
export async function workIn(machine: Machine, door: Fetcher, kind: Kind, step: Step, pauseMs = PAUSE_MS): Promise<void> {
  await machine.interceptOutboundHttp(DOOR_HOST, door)
  if (!machine.running) {
    const env = { DOOR: `http://${DOOR_HOST}`, STEP_PORT: String(STEP_PORT), PRESS_MB: String(CONTAINER_PRESS_MB) }
    machine.start({ entrypoint: ['node', 'src/local/heavy.ts'], enableInternet: false, env })
  }
  await machine.setInactivityTimeout(BUSY_MS)
  const port = machine.getTcpPort(STEP_PORT)
  await untilUp(port, Math.ceil(READY_MS / PAUSE_MS), pauseMs)
  const answer = await port.fetch('http://container/step', { method: 'POST', body: JSON.stringify({ kind, step }) })
  if (!answer.ok) throw new Error(`the container answered ${answer.status}: ${await answer.text()}`)
  await machine.setInactivityTimeout(IDLE_MS)
}

async function untilUp(port: ReturnType<Machine['getTcpPort']>, tries: number, pauseMs: number): Promise<void> {
  for (let tried = 1; ; tried++) {
    const up = await port.fetch('http://container/ready').then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) return
    if (tried === tries) throw new Error(`the container was not up after ${tries} s`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
