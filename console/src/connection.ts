/** How this tab reaches the service: with the session of a signed-in person, or on this machine with an API key. */
import { language } from './language.ts'

const HOME = '/console/api'
const MODE = 'whittle-mode'
const KEY = 'whittle-key'

/** True if the page was loaded from this machine. Only there, a person can sign in with an API key. */
export const isLoopback = /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)

/** API key of this tab. `undefined`: the session cookie of a person is used. The key ends with the tab. */
let key = isLoopback ? (sessionStorage.getItem(KEY) ?? undefined) : undefined

export const apiKey = () => key

/** Uses a key for all requests of this tab. It can do what the key may do, and nothing else. */
export function signInWithKey(wanted: string): void {
  key = wanted
  sessionStorage.setItem(KEY, wanted)
}

export function forgetKey(): void {
  key = undefined
  sessionStorage.removeItem(KEY)
}

/** Key with its secret part left out, as lists of keys show it. */
export const masked = (secret: string) => `${secret.slice(0, 13)}…${secret.slice(-4)}`

/** True if this tab shows data of the test keys. */
export const isTesting = sessionStorage.getItem(MODE) === 'test'

/** Reloads the page, so that data of test keys and live keys is never shown together. */
export function setTesting(wanted: boolean): void {
  if (wanted) sessionStorage.setItem(MODE, 'test')
  else sessionStorage.removeItem(MODE)
  location.reload()
}

/** Path in front of the API's own paths. With a key, the page uses the public API. */
export const base = () => (key !== undefined ? '' : isTesting ? `${HOME}/test` : HOME)

/** API paths with separate data for test keys. People and sign-in belong to the account. */
const OWN = /^\/(v1|me|applications|keys|callbacks|usage)\b/

export const addressOf = (path: string) => (OWN.test(path) ? base() : HOME) + path

/** Headers of every request: the console's marker, the language of messages, and the key if there is one. */
export const mark = (): Record<string, string> => ({
  'X-Whittle-Console': '1',
  'Accept-Language': language(),
  ...(key !== undefined && { Authorization: `Bearer ${key}` }),
})
