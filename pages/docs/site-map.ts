/** Pages of the documentation site: Markdown files of the repository, in reading order. */

export interface Page {
  /** Address below `/docs/`, without extension. Empty: the first page. */
  readonly slug: string
  /** Title in the sidebar. */
  readonly title: string
  /** Path of the Markdown file from the root of the repository. */
  readonly source: string
}

export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

const pagesIn =
  (folder: string, prefix = '') =>
  (name: string, title: string): Page => ({ slug: `${prefix}${name}`, title, source: `${folder}/${name}.md` })
const users = pagesIn('docs/users')
const operators = pagesIn('docs/operators')
const contributors = pagesIn('docs/contributors', 'contributors/')
const decisions = pagesIn('docs/decisions', 'decisions/')
const readme = (slug: string, title: string, folder: string): Page => ({ slug, title, source: `${folder}/README.md` })

export const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      { slug: '', title: 'Overview', source: 'docs/README.md' },
      users('quick-start', 'Quick start'),
      readme('tour', 'A tour in pictures', 'docs/users/first-minutes'),
    ],
  },
  {
    title: 'What it does',
    pages: [
      users('formats', 'Formats and levels'),
      users('quality', 'Quality targets'),
      users('receipts', 'Receipts'),
      users('kept', 'What is kept'),
      users('inventory', 'Inventory'),
      users('limits', 'Plans and limits'),
      users('security', 'Security'),
      users('versioning', 'Versions'),
    ],
  },
  {
    title: 'Use it',
    pages: [
      users('uploads', 'Large files'),
      users('browsers', 'Files from your page'),
      users('addresses', 'Files from addresses'),
      users('buckets', 'Files from buckets'),
      users('pictures', 'Pictures on the fly'),
      users('syncs', 'From bucket to bucket'),
      users('callbacks', 'Callbacks'),
      readme('command-line', 'Command line', 'packages/cli'),
      readme('library', 'Library', 'packages/core'),
      readme('film', 'Films and sound', 'packages/film'),
      users('integrations', 'Integrations'),
      readme('vite', 'Plugin for Vite', 'packages/vite'),
      readme('github-action', 'GitHub Action', 'packages/integrations/github-action'),
      readme('pre-commit', 'pre-commit hook', 'packages/integrations/pre-commit'),
      readme('n8n', 'n8n node', 'packages/integrations/n8n'),
    ],
  },
  {
    title: 'Clients',
    pages: [
      readme('typescript', 'TypeScript client', 'packages/clients/typescript'),
      readme('python', 'Python client', 'packages/clients/python'),
      readme('go', 'Go client', 'packages/clients/go'),
      readme('php', 'PHP client', 'packages/clients/php'),
    ],
  },
  {
    title: 'Run it',
    pages: [
      operators('self-hosting', 'One machine'),
      operators('cloudflare', 'Cloudflare'),
      operators('observability', 'Observability'),
      operators('backup-and-upgrade', 'Backup and upgrade'),
      operators('cost', 'Cost'),
    ],
  },
  {
    title: 'Contribute',
    pages: [
      contributors('architecture', 'Architecture'),
      contributors('add-a-format', 'Add a format'),
      contributors('promises', 'Promises and their tests'),
      contributors('measured', 'Measured against others'),
      contributors('growth', 'Growth'),
      contributors('memory', 'Memory'),
    ],
  },
]

/** Decisions get their titles from their first headings. */
export const DECISIONS = { folder: 'docs/decisions', prefix: 'decisions/', title: 'Decisions', page: decisions } as const

/** The page that explains every error type. The build writes it from the texts of the service. */
export const ERRORS_SLUG = 'errors'

/** Prefix of the addresses of Chinese pages. */
export const CHINESE_PREFIX = 'zh/'

/** Titles of the Chinese sidebar: of groups, of pages that are in English only, and of Chinese pages with a long heading. */
export const CHINESE_TITLES: Readonly<Record<string, string>> = {
  Start: '开始',
  'What it does': '功能',
  'Use it': '使用',
  Clients: '客户端',
  'Run it': '运行服务',
  Contribute: '参与开发',
  Reference: '参考',
  Overview: '概览',
  'A tour in pictures': '图解',
  'Files from addresses': '来自网址的文件',
  'Files from buckets': '来自存储桶的文件',
  'Command line': '命令行',
  Library: '程序库',
  'Films and sound': '视频和音频',
  'Plugin for Vite': 'Vite 插件',
  'GitHub Action': 'GitHub Action',
  'pre-commit hook': 'pre-commit 钩子',
  'n8n node': 'n8n 节点',
  'TypeScript client': 'TypeScript',
  'Python client': 'Python',
  'Go client': 'Go',
  'PHP client': 'PHP',
  'One machine': '单机运行',
  Observability: '可观测性',
  'Backup and upgrade': '备份与升级',
  Cost: '成本',
  Errors: '错误',
  Architecture: '架构',
  Decisions: '设计决定',
}
