/** Theme of the documentation site: VitePress's own, with the tokens of all pages. */
import '@fontsource-variable/geist/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import { inBrowser, onContentUpdated, type Theme, useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h, onMounted } from 'vue'
import '../../tokens.css'
import './theme.css'
import { rememberLanguage, showLanguage } from './language-tabs.ts'

const TEXTS = {
  en: {
    console: 'Console',
    missing: 'This page does not exist',
    advice: 'The address may be incomplete, or the page has moved. The search finds pages by their words.',
    overview: 'Overview of the documentation',
  },
  zh: {
    console: '控制台',
    missing: '此页面不存在',
    advice: '地址可能不完整，或者页面已移动。可以用搜索按内容查找页面。',
    overview: '文档概览',
  },
} as const

/** Link to the page in the other language, or to the first page in it. */
function otherLanguage(isChinese: boolean, other: unknown) {
  const path = typeof other === 'string' ? other : isChinese ? '/' : '/zh/'
  const lang = isChinese ? 'en' : 'zh-Hans'
  return h('a', { class: 'language-link', href: `/docs${path}`, lang, hreflang: lang }, isChinese ? 'English' : '中文')
}

/** For a wrong address. The page of VitePress has no main part, and its link is called otherwise than it reads. */
function notFound() {
  // VitePress knows no language for an address without a page.
  const isChinese = inBrowser && location.pathname.startsWith('/docs/zh/')
  const { missing, advice, overview } = TEXTS[isChinese ? 'zh' : 'en']
  return h('main', { class: 'not-found', lang: isChinese ? 'zh-Hans' : 'en' }, [
    h('h1', missing),
    h('p', advice),
    h('a', { href: isChinese ? '/docs/zh/' : '/docs/' }, overview),
  ])
}

const Layout = defineComponent(() => {
  const { lang, frontmatter } = useData()
  onContentUpdated(showLanguage)
  // `boot.js` waits for it.
  onMounted(() => void dispatchEvent(new Event('whittle-ready')))
  const isChinese = () => lang.value !== 'en'
  const consoleLink = (name: string) => h('a', { class: name, href: '/console', target: '_self' }, TEXTS[isChinese() ? 'zh' : 'en'].console)
  const slots = {
    'nav-bar-content-after': () => [otherLanguage(isChinese(), frontmatter.value['other']), consoleLink('console-link')],
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
