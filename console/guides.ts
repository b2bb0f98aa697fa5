/** Makes the pages `/docs/<name>.html` from `docs/users/` and `docs/operators/`, for readers without the repository. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'

/** Client guides are the READMEs of their packages. */
const CLIENTS = ['typescript', 'python', 'go', 'php'] as const

/** Guides in reading order, with titles. */
const GUIDES = {
  'quick-start': 'Quick start',
  formats: 'Formats and levels',
  quality: 'Quality targets',
  kept: 'What is kept',
  inventory: 'Inventory',
  receipts: 'Receipts',
  uploads: 'Large files',
  callbacks: 'Callbacks',
  limits: 'Plans and limits',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  integrations: 'Integrations',
  versioning: 'Versions',
  security: 'Security',
  'self-hosting': 'Self-hosting',
} as const

const navigation = (current: string) => {
  const links = Object.entries(GUIDES).map(
    ([name, title]) => `<a href="/docs/${name}.html"${name === current ? ' aria-current="page"' : ''}>${title}</a>`,
  )
  return `<nav aria-label="Guides"><strong>Whittle</strong> ${links.join(' ')} <a href="/docs">API reference</a> <a href="/console">Console</a> <a href="/licences">Licences</a></nav>`
}

export const page = (name: string, title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Whittle</title>
<link rel="icon" href="/console/icon.svg">
<link rel="stylesheet" href="/docs/guide.css">
</head>
<body>${navigation(name)}
<main>
${body}</main>
</body>
</html>
`

/** Writes one page per guide to `out`. */
export function writeGuides(out: string): void {
  mkdirSync(out, { recursive: true })
  for (const [name, title] of Object.entries(GUIDES)) {
    writeFileSync(join(out, `${name}.html`), page(name, title, guideOf(readFileSync(sourceOf(name), 'utf8'))))
  }
}

/** Path of a guide's Markdown file. */
function sourceOf(name: string): string {
  if (CLIENTS.some((client) => client === name)) return `packages/clients/${name}/README.md`
  return name === 'self-hosting' ? 'docs/operators/self-hosting.md' : `docs/users/${name}.md`
}

/** HTML of a guide. Links to other guides lead to their pages; links into the repository become plain text. */
function guideOf(text: string): string {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const [, client, own, anchor = ''] =
          /^(?:(?:\.\.\/)+packages\/clients\/(\w+)\/README|(?:\.\.\/(?:users|operators)\/)?([\w-]+))\.md(#.*)?$/.exec(href) ?? []
        const guide = client ?? own
        if (guide !== undefined && guide in GUIDES) return `<a href="/docs/${guide}.html${anchor}">${words}</a>`
        return /^(https?:|\/|#)/.test(href) ? `<a href="${href}">${words}</a>` : words
      },
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens)
        const id = words
          .replaceAll(/<[^>]*>/g, '')
          .toLowerCase()
          .replaceAll(/[^\w]+/g, '-')
        return `<h${depth} id="${id}">${words}</h${depth}>\n`
      },
      // A wide table scrolls in its own box, which needs keyboard focus.
      table(token) {
        const rows = (cells: typeof token.header, tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((row) => rows(row, 'td')).join('\n')
        return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead>${rows(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(text, { async: false })
}
