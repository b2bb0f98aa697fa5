/** The page as HTML, around what the page's own code draws. */
import type { Language } from './src/language.ts'
import { sprite } from './src/parts/icons.ts'

/** Addresses of the files that the page loads. */
export interface PageFiles {
  readonly script: string
  readonly style: string
  readonly theme: string
}

export interface DrawnPage {
  readonly title: string
  readonly description: string
  readonly body: string
}

/** What `src/prerender.tsx` exports. */
export interface Prerender {
  prerender(language: Language): Promise<DrawnPage>
}

export const htmlOf = (language: Language, { title, description, body }: DrawnPage, { script, style, theme }: PageFiles) => `<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fafaf7">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0f1211">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/app/icon-192.png">
<link rel="manifest" href="/manifest.webmanifest">
<script src="${theme}"></script>
<link rel="preload" href="/app/geist.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>${sprite()}<div id="app">${body}</div></body>
</html>
`
