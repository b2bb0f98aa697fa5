/** Checklist for new accounts, with completed steps. */

import { useEffect, useState } from 'preact/hooks'
import { guide } from '../../../site/src/links.ts'
import { type Application, call, type Delivery, type Me, type Task } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { Card } from '../parts.tsx'

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
  const dismiss = (
    <button type="button" class="btn btn--quiet btn--sm" onClick={hide}>
      {t('Dismiss')}
    </button>
  )
  return (
    <Card title={t('First steps')} end={dismiss}>
      <ol class="card__body todo">
        {steps.map(({ title, isDone, page }) => (
          <li key={title} class={isDone ? 'todo__done' : ''}>
            {isDone ? <Icon name="circle-check" /> : <span class="todo__open" />}
            <span>
              {page && !isDone ? <a href={page}>{t(title)}</a> : t(title)}
              {isDone && <span class="vh"> ({t('done')})</span>}
            </span>
          </li>
        ))}
      </ol>
    </Card>
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
    { title: 'Compress a file', isDone: tasks.length > 0, page: '#compress' },
    { title: 'Create an application and a key', isDone: keys.length > 0, page: '#applications' },
    { title: 'Call the API with the key', isDone: keys.some((key) => key.last_used_at), page: guide('/docs/quick-start') },
    ...(me.limits?.callbacks ? [{ title: 'Receive a callback', isDone: deliveries.length > 0, page: '#callbacks' }] : []),
  ]
}
