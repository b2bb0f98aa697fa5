/** The console: sign-in, navigation and pages. */
import { type ComponentChildren, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, isAtLeast, isTesting, type Me, Refusal, type Role, SIGNED_OUT, setTesting } from './api.ts'
import { forgetAttempts } from './attempts.ts'
import { type Language, language, setLanguage, t } from './language.ts'
import { ActivityPage } from './pages/activity.tsx'
import { ApplicationsPage } from './pages/applications.tsx'
import { CallbacksPage } from './pages/callbacks.tsx'
import { CompressPage } from './pages/compress.tsx'
import { PeoplePage } from './pages/people.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { TasksPage } from './pages/tasks.tsx'
import { UsagePage } from './pages/usage.tsx'
import { message, Problem, Self } from './parts.tsx'
import './style.css'
import './files.css'
import './compare.css'

const PAGES = {
  compress: { title: 'Compress', view: CompressPage },
  tasks: { title: 'Tasks', view: TasksPage },
  usage: { title: 'Usage', view: UsagePage },
  applications: { title: 'Applications', view: ApplicationsPage },
  callbacks: { title: 'Callbacks', view: CallbacksPage },
  people: { title: 'People', view: PeoplePage },
  activity: { title: 'Activity', view: ActivityPage },
} as const
type PageName = keyof typeof PAGES

const pageOf = (hash: string): PageName => (hash.slice(1) in PAGES ? (hash.slice(1) as PageName) : 'compress')

const LEAST: { readonly [Name in PageName]?: Role } = { activity: 'admin' }
const isFor = (me: Me, name: PageName) => isAtLeast(me.role, LEAST[name] ?? 'viewer')

function App() {
  const [me, setMe] = useState<Me | null>()
  const [page, setPage] = useState<PageName>(pageOf(location.hash))
  const [shown, setShown] = useState<Language>(language())
  const [problem, setProblem] = useState<string>()
  const moved = useRef(false)
  const load = () =>
    call<Me>('GET', '/me').then(setMe, (error: unknown) => {
      if (!(error instanceof Refusal && error.status === 401)) setProblem(message(error))
    })
  const leave = () => {
    forgetAttempts()
    setMe(null)
  }
  useEffect(() => {
    // Also called when the session expires while a page is open.
    addEventListener(SIGNED_OUT, leave)
    void load()
    const follow = () => setPage(pageOf(location.hash))
    addEventListener('hashchange', follow)
    return () => {
      removeEventListener('hashchange', follow)
      removeEventListener(SIGNED_OUT, leave)
    }
  }, [])

  useEffect(() => {
    document.title = `${t(me === null ? 'Sign in' : PAGES[page].title)} · Whittle`
    // Moves the focus to the new page, so that screen readers start there.
    if (moved.current) document.getElementById('main')?.focus()
    moved.current = true
  }, [page, shown, me === null])

  const choose = <LanguageChoice shown={shown} onChange={setShown} />
  if (me === undefined) {
    return (
      <main aria-busy={problem === undefined}>
        <Problem error={problem} />
        {problem && (
          <button type="button" onClick={() => location.reload()}>
            {t('Try again')}
          </button>
        )}
      </main>
    )
  }
  if (me === null) return <SignInPage language={choose} onSignedIn={load} />
  const View = PAGES[page].view
  const signOut = async () => {
    await call('POST', '/logout').catch(() => undefined)
    leave()
  }
  return (
    <Self.Provider value={me}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('Skip to content')}
      </button>
      <Header me={me} page={page} language={choose} onSignOut={signOut} />
      {isTesting && (
        <p class="banner">
          {t('Test keys have separate tasks, usage and storage, with the limits of the {plan} plan.', {
            plan: me.account.plan,
          })}
        </p>
      )}
      <main id="main" tabIndex={-1} key={`${page} ${shown}`}>
        <h1>{t(PAGES[page].title)}</h1>
        <View me={me} />
      </main>
      <footer>
        <a href="/docs">{t('API reference')}</a>
        <a href="/status">{t('Status')}</a>
        <a href="/licences">{t('Licences')}</a>
      </footer>
    </Self.Provider>
  )
}

function LanguageChoice({ shown, onChange }: { shown: Language; onChange: (language: Language) => void }) {
  return (
    <label class="language">
      <span class="hidden">{t('Language')}</span>
      <select
        value={shown}
        onChange={(event) => {
          const wanted = event.currentTarget.value as Language
          setLanguage(wanted)
          onChange(wanted)
        }}
      >
        <option value="en">English</option>
        <option value="zh">简体中文</option>
      </select>
    </label>
  )
}

function Header(props: { me: Me; page: PageName; language: ComponentChildren; onSignOut: () => void }) {
  const { me, page } = props
  return (
    <header>
      <strong class="brand">Whittle</strong>
      <nav aria-label="Whittle">
        {(Object.keys(PAGES) as PageName[])
          .filter((name) => isFor(me, name))
          .map((name) => (
            <a key={name} href={`#${name}`} aria-current={name === page ? 'page' : undefined}>
              {t(PAGES[name].title)}
            </a>
          ))}
      </nav>
      <span class="who">
        {me.name} · {me.account.name} ({me.account.plan})
      </span>
      <label class="mode">
        <input type="checkbox" checked={isTesting} onChange={(event) => setTesting(event.currentTarget.checked)} /> {t('Test keys')}
      </label>
      {props.language}
      <button type="button" onClick={props.onSignOut}>
        {t('Sign out')}
      </button>
    </header>
  )
}

render(<App />, document.getElementById('app')!)
