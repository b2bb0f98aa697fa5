/** Theme of the documentation site: VitePress's own, with the tokens of all pages. */
import '@fontsource-variable/geist/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import { inBrowser, onContentUpdated, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h, onMounted } from 'vue'
import '../../tokens.css'
import './theme.css'
import { rememberLanguage, showLanguage } from './language-tabs.ts'

const consoleLink = (name: string) => h('a', { class: name, href: '/console', target: '_self' }, 'Console')

/** For a wrong address. The page of VitePress has no main part, and its link is called otherwise than it reads. */
const notFound = () =>
  h('main', { class: 'not-found' }, [
    h('h1', 'This page does not exist'),
    h('p', 'The address may be incomplete, or the page has moved. The search finds pages by their words.'),
    h('a', { href: '/docs/' }, 'Overview of the documentation'),
  ])

const Layout = defineComponent(() => {
  onContentUpdated(showLanguage)
  // `boot.js` waits for it.
  onMounted(() => void dispatchEvent(new Event('whittle-ready')))
  const slots = {
    'nav-bar-content-after': () => consoleLink('console-link'),
    'not-found': notFound,
    'nav-screen-content-after': () => consoleLink('console-link console-link--screen'),
  }
  return () => h(DefaultTheme.Layout, null, slots)
})

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: () => void (inBrowser && rememberLanguage()),
} satisfies Theme
