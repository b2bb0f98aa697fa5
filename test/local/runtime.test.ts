/** The local service and the Cloudflare deployment have the same configuration. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BUCKET_NAME, COMPATIBILITY_DATE, COMPATIBILITY_FLAGS, DURABLE_OBJECTS, QUEUES } from '../../src/local/edge.ts'
import { LOCAL_LIMITS } from '../../src/service/http/ip-rate-limit.ts'

const toml = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match.slice(1))

it('uses the bindings, classes, queues and compatibility date of wrangler.toml', () => {
  const edge = toml('wrangler.toml')
  expect(all(edge, /^compatibility_date = "(.+)"/gm)).toEqual([[COMPATIBILITY_DATE]])
  expect(all(edge, /^compatibility_flags = \["(.+)"\]/gm)).toEqual([[COMPATIBILITY_FLAGS.join('", "')]])
  expect(all(edge, /^bucket_name = "(.+)"/gm)).toEqual([[BUCKET_NAME]])
  expect(all(edge, /^\[\[durable_objects\.bindings\]\]\nname = "(.+)"\nclass_name = "(.+)"/gm)).toEqual(Object.entries(DURABLE_OBJECTS))
  expect(all(edge, /^\[\[queues\.producers\]\]\nbinding = "(.+)"\nqueue = "(.+)"/gm)).toEqual(Object.entries(QUEUES))
  const limits = all(edge, /^\[\[ratelimits\]\]\nname = "(.+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}/gm)
  expect(limits).toEqual(Object.entries(LOCAL_LIMITS).map(([name, limit]) => [name, String(limit)]))
  expect(all(edge, /^html_handling = "(.+)"/gm)).toEqual([['none']])
})
