/**
 * Simulates jurisdictions, which workerd implements only on Cloudflare: different Durable Objects with the same name.
 * Without the jurisdiction, a caller gets a different object, as on Cloudflare.
 */
import type { Env } from '../../../src/service/env.ts'
import { nested } from './nested.ts'

type Names = { getByName(name: string, where?: object): object }

const SPACES = ['KEY_GATES', 'TASKS', 'ACCOUNTS', 'UPLOADS', 'SYNCS'] as const

export const nameIn = (jurisdiction: string, name: string) => `@${jurisdiction} ${name}`

const doubled = (namespace: Names) => ({
  getByName: (name: string, where?: object) => namespace.getByName(name, where),
  jurisdiction: (jurisdiction: string) => ({ getByName: (name: string) => nested(namespace.getByName(nameIn(jurisdiction, name))) }),
})

export function withJurisdictions<E extends Partial<Env>>(env: E): E {
  const spaces = SPACES.flatMap((name) => (env[name] ? [[name, doubled(env[name])]] : []))
  return { ...env, ...Object.fromEntries(spaces) }
}
