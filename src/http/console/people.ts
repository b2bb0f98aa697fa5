/** Who manages the account: everybody in it sees who can get in, and can shut them out. */
import type { AccountFace } from '../../store/accounts.ts'
import { ApiError } from '../../tasks/api-error.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { peopleView } from '../views.ts'
import { sessionToken } from './session.ts'

type People = AccountFace['people']

const people = (c: AppContext): People => c.env.ACCOUNTS.getByName(c.get('key').accountId).people

/** One that removes what its path names. */
function removal(path: string, what: string, remove: (people: People, id: string, token: string) => Promise<boolean>): Route {
  return {
    method: 'DELETE',
    path: `/console/api/${path}/{id}`,
    access: 'session',
    async handle(c) {
      const id = c.req.param('id') ?? ''
      if (!(await remove(people(c), id, sessionToken(c)))) {
        throw new ApiError('unknown_route', `There is no such ${what} in this account.`)
      }
      return json({ id, removed: true })
    },
  }
}

export const PEOPLE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/console/api/people',
    access: 'session',
    handle: async (c) => json(peopleView(await people(c).list(sessionToken(c)), c.get('person').userId)),
  },
  removal('people', 'person', (of, id) => of.removePerson(id)),
  removal('passkeys', 'passkey', (of, id, token) => of.removePasskey(id, token)),
  removal('sessions', 'session', (of, id) => of.endSession(id)),
  removal('invitations', 'invitation', (of, id) => of.removeInvitation(id)),
]
