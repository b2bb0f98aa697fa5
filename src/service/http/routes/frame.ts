/** Frame of pages that the service itself writes: head, bar with links, and one column. */
import type { Language } from '../../i18n/message.ts'

const LINKS = { en: ['Docs', 'Console'], 'zh-Hans': ['文档', '控制台'] } as const satisfies Record<Language, readonly [string, string]>

/** Path data of the sign, as in the icons of the other pages. */
const MARK =
  '<svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M3 6.500A2.500 2.500 0 0 1 5.500 4H12l7.500 7.500v7A2.500 2.500 0 0 1 17 21H5.500A2.500 2.500 0 0 1 3 18.500z"/><path opacity=".6" d="M15.900 1.700h5.600a.8.8 0 0 1 .8.8v5.600z"/></svg>'

/** @param title title as text @param main content of the column as HTML */
export function framed(language: Language, title: string, main: string): string {
  const [docs, console] = LINKS[language]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Whittle</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<script src="/console/theme.js"></script>
<link rel="stylesheet" href="/console/app.css">
</head>
<body>
<header class="top"><div class="wrap top__in"><a class="brand" href="/">${MARK}Whittle</a>
<nav class="top__plain" aria-label="Whittle"><a href="/docs">${docs}</a><a href="/console">${console}</a></nav></div></header>
<main class="wrap status">
<h1 class="page-title">${title}</h1>
${main}
</main>
</body>
</html>
`
}
