/** People of an account: everybody sees who has access; admins and owners invite people, change roles and remove access. */

import * as z from 'zod'
import { type ApiPlainCode, apiMessage } from '../../i18n/message.ts'
import type { AccountApi } from '../../store/accounts.ts'
import type { ActionName } from '../../store/audit.ts'
import { isAtLeast, type ListedPerson, type PeopleList, ROLES, type Role } from '../../store/people.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { serialisePeople } from '../account-serialisers.ts'
import { readBody } from '../body.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { json, type Route } from '../route.ts'
import { requireRole, sessionToken } from './session.ts'

type People = AccountApi['people']

const label = z.string().trim().min(1).max(100)
const role = z.enum(ROLES)
const newInvitation = z.strictObject({ name: label, role: role.default('member') })
const roleChange = z.strictObject({ role })

const people = (c: AppContext): People => c.env.ACCOUNTS.getByName(c.get('key').accountId).people

const unknown = (what: ApiPlainCode) => new ApiError('unknown_route', apiMessage('no_such_thing_here', { what: apiMessage(what) }))

/** Owner of a passkey, session or invitation. `undefined`: not in this account. */
type Owner = (list: PeopleList, id: string) => Pick<ListedPerson, 'userId' | 'role'> | undefined

/** True if a person may remove an object: their own, or of a role that they may assign. */
function requireInCharge(c: AppContext, of: Pick<ListedPerson, 'userId' | 'role'>): void {
  if (of.userId === c.get('person').userId) return
  requireRole(c, 'admin')
  requireRole(c, of.role)
}

/** Refuses a change that would leave the account without an owner. */
function requireAnotherOwner({ people: listed }: PeopleList, userId: string): void {
  if (listed.some((person) => person.role === 'owner' && person.userId !== userId)) return
  throw new ApiError('invalid_parameter', 'only_owner', { param: 'role', got: userId })
}

interface Removal {
  readonly path: string
  readonly what: 'person' | 'passkey' | 'session' | 'invitation'
  readonly owner: Owner
  readonly remove: (people: People, id: string, token: string) => Promise<boolean>
}

/** Creates a route that removes the object named by its path. */
const removal = ({ path, what, owner, remove }: Removal): Route => ({
  method: 'DELETE',
  path: `/console/api/${path}/{id}`,
  access: 'session',
  audit: `${what}.removed` satisfies ActionName,
  async handle(c) {
    const id = c.req.param('id') ?? ''
    const listed = await people(c).list(sessionToken(c))
    const of = owner(listed, id)
    if (!of) throw unknown(what)
    requireInCharge(c, of)
    if (what === 'person' && of.role === 'owner') requireAnotherOwner(listed, id)
    if (!(await remove(people(c), id, sessionToken(c)))) throw unknown(what)
    return json({ id, removed: true })
  },
})

export const PEOPLE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/console/api/people',
    access: 'session',
    handle: async (c) => json(serialisePeople(await people(c).list(sessionToken(c)), c.get('person').userId)),
  },
  {
    method: 'POST',
    path: '/console/api/invitations',
    access: 'session',
    role: 'admin',
    audit: 'person.invited',
    async handle(c) {
      const wanted = await readBody(c, newInvitation)
      requireRole(c, wanted.role)
      // The token follows `#`, so that no log and no Referer header contains it.
      const invitation = `${baseUrl(c)}/console#invitation=${await people(c).invite(wanted.name, wanted.role)}`
      return json({ name: wanted.name, role: wanted.role, invitation_url: invitation })
    },
  },
  {
    method: 'PATCH',
    path: '/console/api/people/{id}',
    access: 'session',
    role: 'admin',
    audit: 'person.changed',
    async handle(c) {
      const [id, wanted] = [c.req.param('id') ?? '', (await readBody(c, roleChange)).role]
      const listed = await people(c).list()
      const person = listed.people.find(({ userId }) => userId === id)
      if (!person) throw unknown('person')
      for (const least of [person.role, wanted] satisfies Role[]) requireRole(c, least)
      if (person.role === 'owner' && !isAtLeast(wanted, 'owner')) requireAnotherOwner(listed, id)
      await people(c).setRole(id, wanted)
      return json({ user_id: id, name: person.name, role: wanted })
    },
  },
  removal({
    ...{ path: 'people', what: 'person' },
    owner: (list, id) => list.people.find(({ userId }) => userId === id),
    remove: (of, id) => of.removePerson(id),
  }),
  removal({
    ...{ path: 'passkeys', what: 'passkey' },
    owner: (list, id) => list.people.find(({ passkeys }) => passkeys.some((passkey) => passkey.id === id)),
    remove: (of, id, token) => of.removePasskey(id, token),
  }),
  removal({
    ...{ path: 'sessions', what: 'session' },
    owner: (list, id) => list.people.find(({ sessions }) => sessions.some((session) => session.id === id)),
    remove: (of, id) => of.endSession(id),
  }),
  removal({
    ...{ path: 'invitations', what: 'invitation' },
    owner: (list, id) => {
      const invited = list.invitations.find((invitation) => invitation.id === id)
      return invited && { userId: '', role: invited.role }
    },
    remove: (of, id) => of.removeInvitation(id),
  }),
]
