/** Routes below /console/api: sign-in, management, and the API's own routes for a signed-in person. The last two groups also exist for test keys. */
import type { Route } from '../route.ts'
import { MANAGE_ROUTES } from './manage.ts'
import { PASSKEY_ROUTES } from './passkeys.ts'
import { PEOPLE_ROUTES } from './people.ts'
import { TEST_PATH } from './session.ts'

/** Serves `/v1/tasks` as `/console/api/v1/tasks` with a session instead of a key. Only requests that change something count for the plan's rate limit. */
export function consoleRoutes(api: readonly Route[]): readonly Route[] {
  const borrowed = api
    // A browser token belongs to an API key, which a session does not have. Only API keys change connections.
    .filter((route) => route.path.startsWith('/v1/') && route.access !== 'tokens' && route.access !== 'connections')
    .map(({ doc: _, ...route }): Route => {
      const isRead = route.method === 'GET'
      const role = isRead ? {} : ({ role: 'member' } as const)
      return { ...route, path: `/console/api${route.path}`, access: isRead ? 'session' : 'session:counted', ...role }
    })
  const ofAccount = [...MANAGE_ROUTES, ...borrowed]
  const ofTwin = ofAccount.map((route): Route => ({ ...route, path: route.path.replace('/console/api/', TEST_PATH) }))
  return [...PASSKEY_ROUTES, ...PEOPLE_ROUTES, ...ofAccount, ...ofTwin]
}
