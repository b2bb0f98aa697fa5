/** Dialogs of the page of keys. */
import type { ComponentChildren } from 'preact'
import { type Application, call, type Key } from '../api.ts'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { CopyButton, Dialog } from '../parts.tsx'
import { KeyFields, keyOptionsFrom } from './key-table.tsx'

export type DialogRequest =
  | { what: 'application' }
  | { what: 'rename'; application: Application }
  | { what: 'key'; application: Application }
  | { what: 'change'; key: Key }
  | { what: 'reset'; key: Key }
  | { what: 'shown'; text: string }
  | { what: 'remove'; path: string; question: string }

/** Runs the action of a dialog and returns the next dialog. `undefined`: none. */
type Work = (fields: FormData) => Promise<DialogRequest | undefined>

interface Asking {
  readonly onClose: () => void
  readonly onSubmit: (work: Work) => (event: SubmitEvent) => void
}

export function ApplicationsPageDialog(props: Asking & { asked: DialogRequest; plans: readonly string[] }) {
  const { asked, plans, ...asking } = props
  switch (asked.what) {
    case 'application':
      return <ApplicationDialog plans={plans} {...asking} />
    case 'rename':
      return <ApplicationDialog plans={plans} of={asked.application} {...asking} />
    case 'key':
      return <NewKeyDialog application={asked.application} {...asking} />
    case 'change':
      return <ChangeKeyDialog of={asked.key} {...asking} />
    case 'reset':
      return <ResetKeyDialog of={asked.key} {...asking} />
    case 'shown':
      return <ShownKeyDialog text={asked.text} onClose={asking.onClose} />
    case 'remove':
      return <RemoveDialog {...asked} {...asking} />
  }
}

interface FormDialogProps extends Asking {
  readonly title: string
  readonly submit: string
  readonly work: Work
  /** True for a deletion. */
  readonly isDanger?: boolean
  readonly children: ComponentChildren
}

function FormDialog(props: FormDialogProps) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="form" onSubmit={props.onSubmit(props.work)}>
        {props.children}
        <div class="row">
          <button type="submit" class={props.isDanger ? 'btn btn--danger' : 'btn btn--primary'}>
            {props.submit}
          </button>
          <button type="button" class="btn" onClick={props.onClose}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Dialog that creates an application or changes its name, environment and plan. */
function ApplicationDialog({ of, plans, ...asking }: Asking & { of?: Application; plans: readonly string[] }) {
  const work = async (fields: FormData) => {
    const body = { name: fields.get('name'), environment: fields.get('environment'), plan: fields.get('plan') }
    if (of) await call('PATCH', `/applications/${of.application_id}`, body)
    else await call('POST', '/applications', body)
    return undefined
  }
  return (
    <FormDialog
      title={of ? t('Change {name}', { name: of.name }) : t('New application')}
      submit={of ? t('Save') : t('Create')}
      work={work}
      {...asking}
    >
      <label class="field">
        <span class="lab">{t('Name')}</span>
        <input class="input" name="name" required maxLength={100} defaultValue={of?.name ?? ''} />
      </label>
      <label class="field">
        <span class="lab">{t('Environment')}</span>
        <input
          class="input"
          name="environment"
          required
          maxLength={100}
          list="environments"
          defaultValue={of?.environment ?? 'production'}
        />
        <datalist id="environments">
          {['production', 'staging', 'development', 'test'].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label class="field">
        <span class="lab">{t('Plan')}</span>
        <select class="select" name="plan" value={of?.plan ?? plans.at(-1)}>
          {plans.map((plan) => (
            <option key={plan}>{plan}</option>
          ))}
        </select>
      </label>
    </FormDialog>
  )
}

function NewKeyDialog({ application, ...asking }: Asking & { application: Application }) {
  const work: Work = async (fields) => {
    const { name, expires_at, scopes } = keyOptionsFrom(fields)
    const body = { application_id: application.application_id, scopes, ...(name ? { name } : {}), ...(expires_at ? { expires_at } : {}) }
    const made = await call<{ key: string }>('POST', '/keys', body)
    return { what: 'shown', text: made.key }
  }
  return (
    <FormDialog title={t('New key')} submit={t('Create')} work={work} {...asking}>
      <KeyFields />
    </FormDialog>
  )
}

function ChangeKeyDialog({ of, ...asking }: Asking & { of: Key }) {
  const work = async (fields: FormData) => {
    await call('PATCH', `/keys/${of.key_id}`, keyOptionsFrom(fields))
    return undefined
  }
  return (
    <FormDialog title={t('Change {name}', { name: of.name ?? of.masked })} submit={t('Save')} work={work} {...asking}>
      <KeyFields of={of} />
    </FormDialog>
  )
}

const DAY_SECONDS = 86_400
/** Seconds for which the old key stays valid. Default: one day, so that running programs can switch to the new key. */
const GRACE: [string, number][] = [
  ['Disable it now', 0],
  ['One hour', 3600],
  ['One day', DAY_SECONDS],
  ['One week', 604_800],
]

function ResetKeyDialog({ of, ...asking }: Asking & { of: Key }) {
  const work: Work = async (fields) => {
    const body = { grace_seconds: Number(fields.get('grace')) }
    const made = await call<{ key: string }>('POST', `/keys/${of.key_id}/reset`, body)
    return { what: 'shown', text: made.key }
  }
  return (
    <FormDialog title={t('Reset {name}', { name: of.name ?? of.masked })} submit={t('Reset')} work={work} {...asking}>
      <label class="field">
        <span class="lab">{t('The new key is valid immediately. How long should the old key stay valid?')}</span>
        <select class="select" name="grace" value={DAY_SECONDS}>
          {GRACE.map(([title, seconds]) => (
            <option key={seconds} value={seconds}>
              {t(title)}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  )
}

function RemoveDialog({ path, question, ...asking }: Asking & { path: string; question: string }) {
  const work = async () => {
    await call('DELETE', path)
    return undefined
  }
  return (
    <FormDialog title={t('Are you sure?')} submit={t('Delete')} work={work} isDanger {...asking}>
      <p>{question}</p>
    </FormDialog>
  )
}

function ShownKeyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Dialog title={t('New key')} onClose={onClose}>
      <div class="note note--ok">
        <Icon name="key-round" />
        <div>
          <p>
            <b>{t('Copy the new key now. It is shown only once.')}</b>
          </p>
          <pre class="secret">{text}</pre>
          <CopyButton text={text} isMain />
        </div>
      </div>
      <p>{t('Try it with your own photo:')}</p>
      <pre class="snippet">{`curl -H "Authorization: Bearer $WHITTLE_KEY" -F file=@photo.jpg ${location.origin}/v1/compress`}</pre>
    </Dialog>
  )
}
