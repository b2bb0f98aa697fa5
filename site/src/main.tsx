/** Start of the page. It was drawn when it was built; this script makes it work. */
import { hydrate, render } from 'preact'
import '../../pages/tokens.css'
import './styles/fonts.css'
import './styles/base.css'
import './styles/bar.css'
import './styles/controls.css'
import './styles/code.css'
import './styles/front.css'
import './styles/desk.css'
import './styles/receipt.css'
import './styles/compare.css'
import './styles/narrow.css'
import './styles/print.css'
import { App, wantedLanguage } from './app.tsx'
import { sharedFiles } from './intake.ts'
import { selectLanguage } from './language.ts'
import { startServiceWorker } from './service-worker.ts'
import { startDesk } from './start.ts'

const root = document.getElementById('app')!
document.documentElement.style.setProperty('--dpr', String(devicePixelRatio))
const desk = startDesk()
const wanted = wantedLanguage()
const isDrawn = document.documentElement.lang.startsWith('zh') === (wanted === 'zh')
await selectLanguage(wanted).catch(() => undefined)
document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
const app = <App desk={desk} />
if (isDrawn) hydrate(app, root)
else {
  root.replaceChildren()
  render(app, root)
}
root.dataset['ready'] = 'yes'
performance.mark('ready')

void startServiceWorker().catch(() => undefined)
if (new URLSearchParams(location.search).has('shared')) {
  history.replaceState(null, '', '/')
  void sharedFiles().then(
    (files) => desk.add(files),
    () => undefined,
  )
}
