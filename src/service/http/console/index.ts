/** Routes below /console/api: sign-in, management, and the API's own routes for a signed-in person. The last two groups also exist for test keys. */
import type { Route } from '../route.ts'
import { MANAGE_ROUTES } from './manage.ts'
import { PASSKEY_ROUTES } from './passkeys.ts'
import { PEOPLE_ROUTES } from './people.ts'
import { TEST_PATH } from './session.ts'

/** Serves `/v1/tasks` as `/console/api/v1/tasks` with a session instead of a key. Only requests that change something count for the plan's rate limit. */
export function consoleRoutes(api: readonly Route[]): readonly Route[] {
  const borrowed = api
    // A browser token belongs to an API key, which a session does not have.
    .filter((route) => route.path.startsWith('/v1/') && route.access !== 'tokens')
    .map(({ doc: _, ...route }): Route => ({ ...route, path: `/console/api${route.path}`, ...accessOf(route) }))
  const ofAccount = [...MANAGE_ROUTES, ...borrowed]
  const ofTwin = ofAccount.map((route): Route => ({ ...route, path: route.path.replace('/console/api/', TEST_PATH) }))
  return [...PASSKEY_ROUTES, ...PEOPLE_ROUTES, ...ofAccount, ...ofTwin]
}

function accessOf({ method, access }: Route): Pick<Route, 'access' | 'role' | 'audit'> {
  if (method === 'GET') return { access: 'session' }
  // Connections hold credentials of other services, like keys hold those of this one.
  if (access === 'connections')
    return { access: 'session:counted', role: 'admin', audit: method === 'PUT' ? 'connection.saved' : 'connection.removed' }
  return { access: 'session:counted', role: 'member' }
}
