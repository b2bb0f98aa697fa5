/** Frame of every page: bar at the top, footer, switches for theme and language. */
import type { ComponentChildren } from 'preact'
import { type Language, language, t } from '../language.ts'
import { guide, LINKS } from '../links.ts'
import { Icon } from './icon.tsx'

interface ShellProps {
  readonly children: ComponentChildren
  readonly onTheme: () => void
  readonly onLanguage: (language: Language) => void
  /** Called for the brand and for links into the front page while files are open. */
  readonly onFront?: (() => void) | undefined
}

const links = () =>
  [
    [guide(LINKS.guides), t('Docs')],
    [LINKS.api, t('API')],
    ['/#formats', t('Formats')],
    ['/#proof', t('Proof')],
  ] as const

export function Shell({ children, onTheme, onLanguage, onFront }: ShellProps) {
  return (
    <>
      <a class="skip" href="#main">
        {t('Skip to content')}
      </a>
      <header class="top">
        <div class="wrap top__in">
          <a class="brand" href={LINKS.front} onClick={intoPage(onFront)}>
            <Icon name="mark" class="brand__mark" />
            Whittle
          </a>
          <nav aria-label={t('Main')}>
            {links().map(([href, text]) => (
              <a key={href} href={href} onClick={href.includes('#') ? intoPage(onFront, href) : undefined}>
                {text}
              </a>
            ))}
          </nav>
          <div class="top__end">
            <button type="button" class="btn btn--quiet btn--icon theme" onClick={onTheme} aria-label={t('Switch between light and dark')}>
              <Icon name="sun" class="i--sun" />
              <Icon name="moon" class="i--moon" />
            </button>
            <a class="btn btn--sm only-wide" href={LINKS.console}>
              {t('Sign in')}
            </a>
            <details class="menu">
              <summary class="btn btn--quiet btn--icon" aria-label={t('Menu')}>
                <Icon name="menu" />
              </summary>
              <nav class="menu__sheet" aria-label={t('All pages')}>
                {links().map(([href, text]) => (
                  <a key={href} href={href} onClick={href.includes('#') ? intoPage(onFront, href) : undefined}>
                    {text}
                  </a>
                ))}
                <a href={LINKS.console}>{t('Sign in')}</a>
              </nav>
            </details>
          </div>
        </div>
      </header>
      {children}
      <Footer onLanguage={onLanguage} />
    </>
  )
}

/** Goes to the front page without loading it again, so that the files stay in memory. */
const intoPage = (onFront: (() => void) | undefined, href?: string) => (event: Event) => {
  if (event.currentTarget instanceof Element) event.currentTarget.closest('details')?.removeAttribute('open')
  if (!onFront) return
  event.preventDefault()
  onFront()
  if (href) requestAnimationFrame(() => document.getElementById(href.slice(2))?.scrollIntoView())
}

function Footer({ onLanguage }: Pick<ShellProps, 'onLanguage'>) {
  const other = language() === 'en' ? 'zh' : 'en'
  return (
    <footer class="foot">
      <div class="wrap foot__in">
        <p>{t('Whittle is open source, Apache-2.0.')}</p>
        <nav aria-label={t('Footer')}>
          <a href={guide(LINKS.guides)}>{t('Docs')}</a>
          <a href={LINKS.api}>{t('API reference')}</a>
          <a href={LINKS.status}>{t('Status')}</a>
          <a href={guide(LINKS.security)}>{t('Security')}</a>
          <a href={LINKS.licences}>{t('Licences')}</a>
          <button type="button" class="foot__language" lang={other === 'zh' ? 'zh-Hans' : 'en'} onClick={() => onLanguage(other)}>
            <Icon name="languages" />
            {other === 'zh' ? '简体中文' : 'English'}
          </button>
        </nav>
      </div>
    </footer>
  )
}
