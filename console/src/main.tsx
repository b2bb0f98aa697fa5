/** Start of the console. */
import { render } from 'preact'
import { App } from './app.tsx'
import { addIcons } from './icons.tsx'
import { chooseLanguage, wantedLanguage } from './language.ts'
import './styles/index.css'

addIcons()
document.documentElement.style.setProperty('--dpr', String(devicePixelRatio))
await chooseLanguage(wantedLanguage()).catch(() => undefined)
render(<App />, document.getElementById('app')!)
