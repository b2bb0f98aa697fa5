/** Asks before the first file goes to the service, and says what happens to it there. */
import { plural, t } from '../language.ts'
import type { Desk } from '../model/desk.ts'
import { type DeskState, sendable } from '../model/items.ts'
import { Icon } from '../parts/icon.tsx'

/** Most file names that the card shows. */
const MAX_NAMES = 3

export function GuestCard({ desk, state }: { desk: Desk; state: DeskState }) {
  const { facts, consent } = state.guest
  const files = sendable(state).map(({ file }) => file.name)
  const isOpen = facts && consent === 'open' && files.length > 0
  return (
    <div aria-live="polite">
      {isOpen && (
        <section class="card ask" aria-labelledby="ask-title">
          <span class="drop__icon">
            <Icon name="server" />
          </span>
          <div>
            <h2 id="ask-title">{plural(files.length, 'Send 1 file to the service?', 'Send {count} files to the service?')}</h2>
            <p class="ask__names">{namesText(files)}</p>
            <p class="muted">
              {t(
                '{host} can compress what this page cannot. What you send leaves this device, and is deleted there with its result after {minutes} minutes. Your other files stay here. Files like these that you add later are sent too.',
                { host: location.host, minutes: Math.round(facts.keptSeconds / 60) },
              )}
            </p>
          </div>
          <div class="row">
            <button type="button" class="btn btn--primary" onClick={() => desk.decide('given')}>
              <Icon name="upload" />
              {plural(files.length, 'Send it', 'Send {count} files')}
            </button>
            <button type="button" class="btn btn--quiet" onClick={() => desk.decide('declined')}>
              {t('Not now')}
            </button>
          </div>
        </section>
      )}
    </div>
  )
}

function namesText(files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMES).join(t(', '))
  return files.length > MAX_NAMES ? t('{names} and {count} more', { names, count: files.length - MAX_NAMES }) : names
}

/** Says where the files were compressed. */
export function WhereFilesWent({ state, isBusy }: { state: DeskState; isBusy: boolean }) {
  const { sent, facts } = state.guest
  const values = { host: location.host, minutes: Math.round((facts?.keptSeconds ?? 0) / 60), count: sent }
  const text =
    sent > 0
      ? t('Files sent to {host}: {count}. It deletes them after {minutes} minutes. All others stayed on this device.', values)
      : isBusy
        ? t('All of this happens on this device.')
        : t('Your files did not leave this device.')
  return (
    <p class="private work__private">
      <Icon name={sent > 0 ? 'server' : 'lock'} />
      {text}
    </p>
  )
}
