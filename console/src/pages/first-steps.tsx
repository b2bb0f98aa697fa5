/** What whoever is new does first, with what is done already. */
import { useEffect, useState } from 'preact/hooks'
import { type Application, call, type Delivery, type Me, type Task } from '../api.ts'
import { t } from '../language.ts'

const HIDDEN = 'whittle-first-steps'

interface Step {
  readonly title: string
  readonly isDone: boolean
  /** Where it is done. */
  readonly page?: string
}

/** Until everything is done, or it was put away. */
export function FirstSteps({ me }: { me: Me }) {
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [isHidden, setHidden] = useState(localStorage.getItem(HIDDEN) !== null)
  useEffect(() => {
    // A list that cannot be made is no reason to complain.
    if (!isHidden) void stepsOf(me).then(setSteps, () => undefined)
  }, [])
  if (isHidden || steps.every(({ isDone }) => isDone)) return null
  const hide = () => {
    localStorage.setItem(HIDDEN, 'hidden')
    setHidden(true)
  }
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{t('First steps')}</h2>
      <ol>
        {steps.map(({ title, isDone, page }) => (
          <li key={title} class={isDone ? 'done' : ''}>
            <span aria-hidden="true">{isDone ? '✓' : '○'}</span> {page && !isDone ? <a href={page}>{t(title)}</a> : t(title)}
            {isDone && <span class="hidden"> ({t('done')})</span>}
          </li>
        ))}
      </ol>
      <button type="button" onClick={hide}>
        {t('Put away')}
      </button>
    </section>
  )
}

async function stepsOf(me: Me): Promise<Step[]> {
  const [{ tasks }, { applications }, { deliveries }] = await Promise.all([
    call<{ tasks: Task[] }>('GET', '/v1/tasks?limit=1'),
    call<{ applications: Application[] }>('GET', '/applications'),
    call<{ deliveries: Delivery[] }>('GET', '/callbacks'),
  ])
  const keys = applications.flatMap((application) => application.keys)
  return [
    { title: 'Make a file smaller on this page', isDone: tasks.length > 0 },
    { title: 'Make an application and a key', isDone: keys.length > 0, page: '#applications' },
    { title: 'Call the API with the key', isDone: keys.some((key) => key.last_used_at), page: '/docs' },
    ...(me.limits?.callbacks ? [{ title: 'Receive a callback', isDone: deliveries.length > 0, page: '#callbacks' }] : []),
  ]
}
