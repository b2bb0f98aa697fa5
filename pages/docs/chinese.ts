/** Texts of VitePress's theme in Chinese, and the sidebar of the Chinese pages. */
import { CHINESE_TITLES, type Group, type Page } from './site-map.ts'
import { translatedPages } from './sources.ts'

const titleOf = (title: string) => CHINESE_TITLES[title] ?? title

/** Says that a page, or every page of a group, is in English. */
const ENGLISH = '（英文）'

/** @param groups groups of the English sidebar; their pages stay English where there is no Chinese one */
export function chineseSidebar(root: string, groups: readonly Group[]) {
  const chinese = new Map(translatedPages(root).map((page) => [page.english.slug, page.chinese]))
  return groups.map(({ title, pages }) => {
    const hasChinese = pages.some(({ slug }) => chinese.has(slug))
    const itemOf = (page: Page) => {
      const own = chinese.get(page.slug)
      if (own) return { text: CHINESE_TITLES[page.title] ?? own.title, link: `/${own.slug}` }
      return { text: titleOf(page.title) + (hasChinese ? ENGLISH : ''), link: `/${page.slug}` }
    }
    return { text: titleOf(title) + (hasChinese ? '' : ENGLISH), items: pages.map(itemOf) }
  })
}

export const CHINESE_SEARCH = {
  button: { buttonText: '搜索文档', buttonAriaLabel: '搜索文档' },
  modal: {
    displayDetails: '显示摘要',
    resetButtonTitle: '清除',
    backButtonTitle: '关闭搜索',
    noResultsText: '没有找到：',
    footer: {
      selectText: '打开',
      selectKeyAriaLabel: '回车键',
      navigateText: '选择',
      navigateUpKeyAriaLabel: '上箭头键',
      navigateDownKeyAriaLabel: '下箭头键',
      closeText: '关闭',
      closeKeyAriaLabel: 'Esc 键',
    },
  },
} as const

export const CHINESE_THEME = {
  outline: { level: [2, 3] as [number, number], label: '本页内容' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  lightModeSwitchTitle: '切换到浅色',
  darkModeSwitchTitle: '切换到深色',
  sidebarMenuLabel: '目录',
  returnToTopLabel: '回到顶部',
  skipToContentLabel: '跳到内容',
} as const

export const CHINESE_EDIT_LINK = '编辑此页'
