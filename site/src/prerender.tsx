/** Draws the front page as HTML when the site is built, so that it shows before any script runs. */
import { renderToString } from 'preact-render-to-string'
import { App, TITLE } from './app.tsx'
import { type Language, selectLanguage, t } from './language.ts'
import { Desk } from './model/desk.ts'

const nobody = { run: () => Promise.reject(new Error('no workers at build time')) }

/** Returns the title, the description and the body of the front page. */
export async function prerender(
  language: Language,
): Promise<{ readonly title: string; readonly description: string; readonly body: string }> {
  await selectLanguage(language)
  const guests = { facts: async () => null, compress: nobody.run }
  const desk = new Desk({ pool: nobody, scout: nobody, guests, language: () => language, isRoomy: false })
  return {
    title: t(TITLE),
    description: t(
      'Whittle makes files smaller on your own device, compares the result with your file, and shows a receipt of what was kept.',
    ),
    body: renderToString(<App desk={desk} />),
  }
}
