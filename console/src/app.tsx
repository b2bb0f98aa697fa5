/** The console: sign-in, or a page in its frame. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { acceptFiles } from '../../site/src/intake.ts'
import { call, isAtLeast, type Me, Refusal, SIGNED_OUT, whoAmI } from './api.ts'
import { forgetAttempts } from './attempts.ts'
import { apiKey, forgetKey, isTesting } from './connection.ts'
import { Icon } from './icons.tsx'
import { chooseLanguage, keepLanguage, type Language, language, t } from './language.ts'
import { SignInPage } from './pages/sign-in.tsx'
import { takeFiles } from './pages/take-files.ts'
import { PAGES, type PageName, pageOf } from './pages.ts'
import { Loading, message, Problem, Self, useLoaded } from './parts.tsx'
import { Shell } from './shell.tsx'

/** Signed-in person. `undefined`: not known yet; `null`: nobody. */
function useMe() {
  const [me, setMe] = useState<Me | null>()
  const [problem, setProblem] = useState<string>()
  const load = () =>
    whoAmI().then(setMe, (error: unknown) => {
      if (!(error instanceof Refusal && error.status === 401)) setProblem(message(error))
    })
  const leave = () => {
    forgetAttempts()
    setMe(null)
  }
  const signOut = async () => {
    if (apiKey() === undefined) await call('POST', '/logout').catch(() => undefined)
    forgetKey()
    leave()
  }
  useEffect(() => {
    // Also called when the session expires while a page is open.
    addEventListener(SIGNED_OUT, leave)
    void load()
    return () => removeEventListener(SIGNED_OUT, leave)
  }, [])
  return { me, problem, load, signOut }
}

function usePage(): PageName {
  const [page, setPage] = useState<PageName>(pageOf(location.hash))
  useEffect(() => {
    const follow = () => setPage(pageOf(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return page
}

export function App() {
  const { me, problem, load, signOut } = useMe()
  const page = usePage()
  const [shown, setShown] = useState<Language>(language())
  const moved = useRef(false)
  useEffect(() => {
    document.title = `${t(me === null ? 'Sign in' : PAGES[page].title)} · Whittle`
    // Moves the focus to the new page, so that screen readers start there.
    if (moved.current) document.getElementById('main')?.focus({ preventScroll: true })
    moved.current = true
    scrollTo(0, 0)
  }, [page, shown, me === null])
  const choice = <LanguageChoice shown={shown} onChange={setShown} />
  if (me === undefined) return <Start problem={problem} />
  if (me === null) return <SignInPage language={choice} onSignedIn={load} />
  return (
    <Self.Provider value={me}>
      <Shell me={me} page={page} language={choice} onSignOut={() => void signOut()}>
        {isTesting && !me.isKey && (
          <aside class="banner" aria-label={t('Test keys')}>
            {t('Test keys have separate tasks, usage and storage, with the limits of the {plan} plan.', { plan: me.account.plan })}
          </aside>
        )}
        <Page key={`${page} ${shown}`} me={me} page={page} />
      </Shell>
    </Self.Provider>
  )
}

/** Code of a page, loaded when it is opened first. `undefined`: it is being loaded. */
function useView(page: PageName) {
  const loaded = useLoaded(async () => ({ View: await PAGES[page].load() }))
  return { value: loaded.value?.View, error: loaded.error && 'The service cannot be reached.' }
}

/** One page. Files that are dropped or pasted anywhere on it are taken. */
function Page({ me, page }: { me: Me; page: PageName }) {
  const [dragged, setDragged] = useState<number>()
  useEffect(() => {
    if (!isAtLeast(me.role, 'member')) return
    return acceptFiles({ onFiles: (files) => takeFiles(files, me), onDragged: setDragged })
  }, [])
  const { title } = PAGES[page]
  const { value: View, error } = useView(page)
  return (
    <main id="main" tabIndex={-1} class="main">
      <h1 class="page-title">{t(title)}</h1>
      {View ? <View me={me} dragged={dragged} /> : <Loading error={error} />}
      {dragged !== undefined && page !== 'overview' && page !== 'compress' && (
        <p class="toast">
          <Icon name="upload" />
          {t('Drop to start')}
        </p>
      )}
    </main>
  )
}

/** Before the person is known. */
const Start = ({ problem }: { problem: string | undefined }) => (
  <main class="sign-in" aria-busy={problem === undefined}>
    <Problem error={problem} />
    {problem && (
      <button type="button" class="btn" onClick={() => location.reload()}>
        {t('Try again')}
      </button>
    )}
  </main>
)

function LanguageChoice({ shown, onChange }: { shown: Language; onChange: (language: Language) => void }) {
  const choose = async (wanted: Language) => {
    await chooseLanguage(wanted)
    keepLanguage(wanted)
    onChange(wanted)
  }
  return (
    <label class="language">
      <span class="vh">{t('Language')}</span>
      <select class="select" value={shown} onChange={(event) => void choose(event.currentTarget.value as Language).catch(() => undefined)}>
        <option value="en">English</option>
        <option value="zh" lang="zh-Hans">
          简体中文
        </option>
      </select>
    </label>
  )
}
