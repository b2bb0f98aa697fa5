/** Checklist for new accounts, with completed steps. */
import { useEffect, useState } from 'preact/hooks'
import { type Application, call, type Delivery, type Me, type Task } from '../api.ts'
import { t } from '../language.ts'

const HIDDEN = 'whittle-first-steps'

interface Step {
  readonly title: string
  readonly isDone: boolean
  /** Page of the step. */
  readonly page?: string
}

/** Shown until all steps are done or the checklist is dismissed. */
export function FirstSteps({ me }: { me: Me }) {
  const [steps, setSteps] = useState<readonly Step[]>([])
  const [isHidden, setHidden] = useState(localStorage.getItem(HIDDEN) !== null)
  useEffect(() => {
    // Errors are ignored, because the checklist is optional.
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
        {t('Dismiss')}
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
    { title: 'Compress a file on this page', isDone: tasks.length > 0 },
    { title: 'Create an application and a key', isDone: keys.length > 0, page: '#applications' },
    { title: 'Call the API with the key', isDone: keys.some((key) => key.last_used_at), page: '/docs' },
    ...(me.limits?.callbacks ? [{ title: 'Receive a callback', isDone: deliveries.length > 0, page: '#callbacks' }] : []),
  ]
}
