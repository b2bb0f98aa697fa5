/** Frame of every page: sidebar, and on a phone a bar with a menu that has all pages. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { guide } from '../../site/src/links.ts'
import type { Me } from './api.ts'
import { isTesting, setTesting } from './connection.ts'
import { Icon, type IconName } from './icons.tsx'
import { t } from './language.ts'
import { isFor, PAGES, type PageName } from './pages.ts'
import { switchTheme } from './theme.ts'

interface ShellProps {
  readonly me: Me
  readonly page: PageName
  readonly language: ComponentChildren
  readonly onSignOut: () => void
  readonly children: ComponentChildren
}

export function Shell(props: ShellProps) {
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('Skip to content')}
      </button>
      <TopBar {...props} />
      <div class="shell">
        <aside class="side">
          <Brand />
          <nav aria-label={t('Console')}>
            <PageLinks {...props} look="side__a" />
          </nav>
          <div class="side__end">
            <nav aria-label={t('Help')}>
              <HelpLinks look="side__a" />
            </nav>
            <Account {...props} />
          </div>
        </aside>
        <div class="shell__main">{props.children}</div>
      </div>
    </>
  )
}

const Brand = () => (
  <a class="brand" href="/">
    <Icon name="mark" class="brand__mark" />
    Whittle
  </a>
)

const ThemeButton = () => (
  <button type="button" class="btn btn--quiet btn--icon theme" onClick={switchTheme} aria-label={t('Switch between light and dark')}>
    <Icon name="sun" class="i--sun" />
    <Icon name="moon" class="i--moon" />
  </button>
)

function TopBar(props: ShellProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => menu.current?.removeAttribute('open'), [props.page])
  return (
    <header class="top shell__top">
      <div class="wrap top__in">
        <Brand />
        <div class="top__end">
          <ThemeButton />
          <details class="menu" ref={menu}>
            <summary class="btn btn--quiet btn--icon" aria-label={t('Menu')}>
              <Icon name="menu" />
            </summary>
            <div class="menu__sheet">
              <nav aria-label={t('All pages')} class="menu__pages">
                <PageLinks {...props} look="menu__a" />
                <HelpLinks look="menu__a" />
              </nav>
              <Account {...props} />
            </div>
          </details>
        </div>
      </div>
    </header>
  )
}

const GROUPS: readonly (readonly [label: string | undefined, pages: readonly PageName[]])[] = [
  [undefined, ['overview', 'compress', 'tasks', 'buckets', 'usage']],
  ['Developers', ['applications', 'callbacks', 'people', 'activity']],
]

function PageLinks({ me, page, look }: { me: Me; page: PageName; look: string }) {
  return (
    <>
      {GROUPS.map(([label, names]) => {
        const shown = names.filter((name) => isFor(me, name))
        return (
          shown.length > 0 && (
            <div key={label ?? ''} class="side__group">
              {label && <p class="side__label">{t(label)}</p>}
              {shown.map((name) => (
                <a key={name} class={look} href={`#${name}`} aria-current={name === page ? 'page' : undefined}>
                  <Icon name={PAGES[name].icon} />
                  {t(PAGES[name].title)}
                </a>
              ))}
            </div>
          )
        )
      })}
    </>
  )
}

const HELP: readonly (readonly [href: string, title: string, icon: IconName])[] = [
  ['/docs', 'Docs', 'book-open'],
  ['/status', 'Status', 'activity'],
]

const HelpLinks = ({ look }: { look: string }) => (
  <>
    {HELP.map(([href, title, icon]) => (
      <a key={href} class={look} href={guide(href)}>
        <Icon name={icon} />
        {t(title)}
      </a>
    ))}
  </>
)

/** Who is signed in, and the settings of this tab. */
function Account({ me, language, onSignOut }: ShellProps) {
  return (
    <div class="account">
      <div class="account__who">
        <p class="small">
          <b>{me.isKey ? t('API key') : me.name}</b>
          <br />
          <span class="faint">{me.isKey ? me.name : [me.account.name, t('{plan} plan', { plan: me.account.plan })].join(' · ')}</span>
        </p>
        <ThemeButton />
      </div>
      {!me.isKey && (
        <label class="account__mode small">
          <input type="checkbox" checked={isTesting} onChange={(event) => setTesting(event.currentTarget.checked)} /> {t('Test keys')}
        </label>
      )}
      <div class="account__row">
        {language}
        <button type="button" class="btn btn--quiet btn--sm" onClick={onSignOut}>
          {t('Sign out')}
        </button>
      </div>
    </div>
  )
}
