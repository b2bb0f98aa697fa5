/** What travels with a request through `http/`. */
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import type { KeyRecord, RateState, Scope } from '../store/keys.ts'
import type { Person } from '../store/people.ts'
import type { Timing } from './timing.ts'

export interface App {
  Bindings: Env
  Variables: {
    requestId: string
    url: URL
    timing: Timing
    /** Set once the caller is known; absent on public routes. */
    key: KeyRecord
    rate: RateState
    /** The account that a person is signed in to; where they look at what test keys did, `key` is of its twin. */
    home: string
    /** Who is signed in, on the console's routes. */
    person: Person
    /** The JSON body of a request that the operator or a person sent, once it was read. */
    asked: Readonly<Record<string, unknown>>
    /** Ids for the log line. Never keys, passwords, names or contents. */
    logged: { taskIds?: readonly string[]; batchId?: string; error?: string }
    /** The route's pattern, for the log. */
    route: string
  }
}

export type AppContext = Context<App>

/** Who may call: anybody, the operator, a person signed in to the console (`counted` like a key's request), any live key (`key`), or a key with this scope. */
export type Access = 'public' | 'operator' | 'session' | 'session:counted' | 'key' | Scope

/** The origin the client spoke to: addresses in answers begin with it. */
export const baseUrl = (c: AppContext) => c.get('url').origin
