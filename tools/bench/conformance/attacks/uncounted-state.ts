/** State that costs no quota: presets, links, repeated and invented idempotency keys (review S6). It must stay small for each account. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Attack, type Figure, MB } from './attack.ts'
import { Target } from './target.ts'

/** More than an account or a task may have. */
const PRESETS = 150
const LINKS = 150
const IDEMPOTENCY_KEYS = 1000
const AT_ONCE = 50
/** Largest growth of the state for all of it. */
const MOST_BYTES = 8 * MB

export const uncountedState: Attack = {
  name: 'uncounted-state',
  title: `${PRESETS} presets, ${LINKS} links of a task, ${IDEMPOTENCY_KEYS} idempotency keys, and one key ${AT_ONCE} times at once`,
  async run() {
    await using target = await Target.start()
    const { key } = await target.account('enterprise')
    const taskId = await target.result(key, 1000)
    const before = stateBytes(target)
    const send = async (count: number, path: (at: number) => string, init: RequestInit) => {
      let accepted = 0
      for (let at = 0; at < count; at += 10) {
        const answers = await Promise.all(Array.from({ length: Math.min(10, count - at) }, (_, i) => target.call(key, path(at + i), init)))
        await Promise.all(answers.map((answer) => answer.arrayBuffer()))
        accepted += answers.filter(({ ok }) => ok).length
      }
      return accepted
    }
    const presets = await send(PRESETS, (at) => `/v1/presets/p${at}`, { method: 'PUT', body: JSON.stringify({ quality: 'low' }) })
    const links = await send(LINKS, () => `/v1/tasks/${taskId}/links`, { method: 'POST', body: '{}' })
    const afterRows = stateBytes(target)
    const invented = await inventKeys(target, key)
    return [
      { what: 'presets stored', value: presets, unit: '', most: PRESETS - 1 },
      { what: 'links stored', value: links, unit: '', most: LINKS - 1 },
      { what: 'state of them', value: (afterRows - before) / MB, unit: 'MB', most: MOST_BYTES / MB },
      { what: `answers with 5xx to ${IDEMPOTENCY_KEYS} broken uploads with keys`, value: invented, unit: '', most: 0 },
      { what: 'state of the keys', value: (stateBytes(target) - afterRows) / MB, unit: 'MB', most: MOST_BYTES / MB },
      ...(await sameKeyAtOnce(target, key)),
    ]
  },
}

/** Sends uploads without a file, each with an idempotency key of its own. @returns the number of server errors */
async function inventKeys(target: Target, key: string): Promise<number> {
  let errors = 0
  for (let at = 0; at < IDEMPOTENCY_KEYS; at += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => {
        const body = new FormData()
        body.append('quality', 'low')
        return target.call(key, '/v1/compress', { method: 'POST', body, headers: { 'Idempotency-Key': `${at + i}${'k'.repeat(200)}` } })
      }),
    )
    for (const answer of answers) {
      await answer.arrayBuffer()
      if (answer.status >= 500) errors++
    }
  }
  return errors
}

async function sameKeyAtOnce(target: Target, key: string): Promise<Figure[]> {
  const file = new Uint8Array(Buffer.alloc(5000, 'once\n'))
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => target.upload(key, file, 'once.txt', { 'Idempotency-Key': 'the-same' })),
  )
  const ids = new Set<string>()
  for (const answer of answers) {
    const { task_id } = (await answer.json()) as { task_id?: string }
    if (task_id !== undefined) ids.add(task_id)
  }
  const repeated = await target.upload(key, file, 'once.txt', { 'Idempotency-Key': 'the-same' })
  ids.add(((await repeated.json()) as { task_id: string }).task_id)
  return [{ what: 'tasks of one idempotency key', value: ids.size, unit: '', most: 1 }]
}

function stateBytes({ state }: Target): number {
  const folder = join(state, 'v3')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
}
