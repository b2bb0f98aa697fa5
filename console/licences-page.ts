/** `/licences`: authors and licences of included software, as a page. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Notice, notices } from '../tools/release/notices.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const page = (body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Licences · Whittle</title>
<meta name="description" content="Authors and licences of the software that Whittle includes.">
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console/tokens.css">
<link rel="stylesheet" href="/console/plain.css">
</head>
<body><nav aria-label="Main"><a class="brand" href="/"><img src="/app/icon.svg" alt="" width="24" height="24">Whittle</a> <a href="/docs">Docs</a> <a href="/console">Console</a></nav>
<main>
${body}</main>
</body>
</html>
`

/** Writes `licences.html` to `out`. Licence texts shared by several packages appear once. */
export async function writeLicences(out: string): Promise<void> {
  const all = await notices()
  const texts = [...new Set(all.flatMap((notice) => notice.texts))]
  const row = ({ name, version, licence, usedIn, texts: own }: Notice) => {
    const links = own.map((text) => `<a href="#text-${texts.indexOf(text) + 1}">${texts.indexOf(text) + 1}</a>`).join(', ')
    return `<tr><th scope="row">${escaped(name)}</th><td data-label="Version">${escaped(version)}</td><td data-label="Licence">${escaped(licence)}</td><td data-label="Used in">${usedIn.join(', ')}</td><td data-label="Text">${links}</td></tr>`
  }
  const body = `<h1>Licences</h1>
<p>Whittle is under the Apache License 2.0. What others wrote of it, and their terms:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
<thead><tr><th>What</th><th>Version</th><th>Licence</th><th>Used in</th><th>Text</th></tr></thead>
<tbody>${all.map(row).join('\n')}</tbody>
</table></div>
${texts.map((text, i) => `<h2 id="text-${i + 1}">Text ${i + 1}</h2>\n<pre>${escaped(text.trim())}</pre>`).join('\n')}
`
  writeFileSync(join(out, 'licences.html'), page(body))
}
