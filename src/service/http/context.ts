/** Values that a request carries through the handlers of `http/`. */
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import type { KeyRecord, RateState, Scope } from '../store/keys.ts'
import type { Person } from '../store/people.ts'
import type { TokenGrant } from '../store/upload-tokens.ts'
import type { Timing } from './timing.ts'

export interface App {
  Bindings: Env
  Variables: {
    requestId: string
    /** `traceparent` of the caller, if it is valid (`parseTraceparent`). */
    traceparent: string | undefined
    url: URL
    timing: Timing
    /** API key of the caller. Not set on public routes. */
    key: KeyRecord
    /** Name of the KeyGate object of that key. Not set for the console. */
    gate: string
    /** Browser token of the caller. `undefined`: the caller has the key itself. */
    token: TokenGrant | undefined
    /** Only origin whose pages may read the answer. `''`: none. `undefined`: any. */
    readableBy: string | undefined
    rate: RateState
    /** Account whose file a public route sends. Not set on other routes. */
    fileOwner: string
    /** Account of the signed-in person. While they view test data, `key` belongs to the account for test keys instead. */
    home: string
    /** Signed-in person, on routes of the console. */
    person: Person
    /** Validated JSON body of an operator's or person's request. Set once it is read. */
    asked: Readonly<Record<string, unknown>>
    /** Ids for the log line. Never keys, passwords, file names or contents. */
    logged: { taskIds?: readonly string[]; batchId?: string; error?: string }
    /** Path pattern of the matched route, for the log. */
    route: string
  }
}

export type AppContext = Context<App>

/** Who may call a route: anybody (`asset`: files of pages, which are asked for by the hundred), the operator, a person with a console session (`counted`: with a rate limit), any valid key (`key`), or a key with this scope. */
export type Access = 'public' | 'asset' | 'operator' | 'session' | 'session:counted' | 'key' | Scope

/** Origin that the client used. Addresses in answers begin with it. */
export const baseUrl = (c: AppContext) => c.get('url').origin
