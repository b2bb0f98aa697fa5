/** Audit log of the account in sentences, newest entry first. */
import { useState } from 'preact/hooks'
import { type Action, type Application, call } from '../api.ts'
import { Icon } from '../icons.tsx'
import { dateTime, t, timeAgo } from '../language.ts'
import { Empty, Loading, message, Problem, useLoaded } from '../parts.tsx'
import { detailsOf, iconOf, type Names, sentenceOf } from './activity-words.ts'

interface Page {
  actions: Action[]
  next_cursor: string | null
}

/** Names of applications and keys by id, because the log has only ids for some entries. */
async function namesOf(): Promise<Names> {
  const { applications } = await call<{ applications: Application[] }>('GET', '/applications')
  return new Map(
    applications.flatMap(({ application_id, name, keys }) => [
      [application_id, name] as const,
      ...keys.map((key) => [key.key_id, key.name ?? key.masked] as const),
    ]),
  )
}

export function ActivityPage() {
  const first = useLoaded(() => call<Page>('GET', '/audit'))
  const names = useLoaded(namesOf).value ?? NO_NAMES
  const [later, setLater] = useState<Page>()
  const [error, setError] = useState<string>()
  if (!first.value) return <Loading error={first.error} />
  const cursor = (later ?? first.value).next_cursor
  const actions = [...first.value.actions, ...(later?.actions ?? [])]
  const more = () =>
    call<Page>('GET', `/audit?cursor=${cursor}`).then(
      (page) => setLater({ ...page, actions: [...(later?.actions ?? []), ...page.actions] }),
      (problem: unknown) => setError(message(problem)),
    )
  return (
    <>
      <Problem error={error} />
      <p class="intro muted">{t('Changes that people and the operator of the service made to keys, applications, people and secrets.')}</p>
      <div class="card">
        {actions.length === 0 ? (
          <Empty icon="history" title={t('Nothing has happened yet')} />
        ) : (
          <Actions actions={actions} names={names} />
        )}
      </div>
      {cursor && (
        <p class="more">
          <button type="button" class="btn" onClick={more}>
            {t('Load more')}
          </button>
        </p>
      )}
    </>
  )
}

const NO_NAMES: Names = new Map()

const Actions = ({ actions, names }: { actions: readonly Action[]; names: Names }) => (
  <ol class="log">
    {actions.map((action) => (
      <li key={`${action.at} ${action.request_id}`} class="log__row">
        <Icon name={iconOf(action)} />
        <div>
          <p>
            <Sentence action={action} names={names} />
          </p>
          {detailsOf(action).map((line) => (
            <p key={line} class="faint small breaks">
              {line}
            </p>
          ))}
        </div>
        <time class="muted small nowrap" dateTime={action.at} title={dateTime(action.at)}>
          {timeAgo(action.at)}
        </time>
      </li>
    ))}
  </ol>
)

/** The sentence with the names in bold. */
const Sentence = ({ action, names }: { action: Action; names: Names }) => (
  <>{sentenceOf(action, names).map(({ text, isName }, i) => (isName ? <b key={i}>{text}</b> : <span key={i}>{text}</span>))}</>
)
