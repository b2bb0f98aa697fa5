/**
 * Jurisdictions, which workerd has only on Cloudflare ("not implemented in workerd"): other objects under the same names. Who asks for
 * an object without its jurisdiction finds another one, as there.
 */
import type { Env } from '../../../src/service/env.ts'
import { nested } from './nested.ts'

type Names = { getByName(name: string, where?: object): object }

const SPACES = ['KEY_GATES', 'TASKS', 'ACCOUNTS', 'UPLOADS'] as const

export const nameIn = (jurisdiction: string, name: string) => `@${jurisdiction} ${name}`

const doubled = (namespace: Names) => ({
  getByName: (name: string, where?: object) => namespace.getByName(name, where),
  jurisdiction: (jurisdiction: string) => ({ getByName: (name: string) => nested(namespace.getByName(nameIn(jurisdiction, name))) }),
})

export function withJurisdictions<E extends Partial<Env>>(env: E): E {
  const spaces = SPACES.flatMap((name) => (env[name] ? [[name, doubled(env[name])]] : []))
  return { ...env, ...Object.fromEntries(spaces) }
}
