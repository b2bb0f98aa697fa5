/** The whole page: the front page, or the files. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { DeskPage } from './desk/desk-page.tsx'
import { Front } from './front/front.tsx'
import { acceptFiles } from './intake.ts'
import { type Language, selectLanguage, t } from './language.ts'
import type { Desk } from './model/desk.ts'
import { Shell } from './parts/shell.tsx'

/** Names of the settings that the page keeps. The console knows the first one, too. */
const STORED = { language: 'whittle-language', theme: 'whittle-theme' } as const

export function App({ desk }: { desk: Desk }) {
  const [state, setState] = useState(desk.state)
  const [dragged, setDragged] = useState<number>()
  const [isFront, setFront] = useState(false)
  const [, setLanguage] = useState<Language>()
  const onFiles = (files: readonly File[]) => {
    if (files.length === 0) return
    desk.add(files)
    setFront(false)
    scrollTo(0, 0)
  }
  useEffect(() => desk.subscribe(() => setState(desk.state)), [desk])
  useEffect(() => acceptFiles({ onFiles, onDragged: setDragged }), [desk])
  const hasFiles = state.items.length > 0
  const showsFront = isFront || !hasFiles
  // Screen readers and the keyboard go on where the page has changed.
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) document.getElementById('main')?.focus({ preventScroll: true })
    isFirst.current = false
  }, [showsFront])
  useEffect(() => {
    if (showsFront) document.title = t(TITLE)
  })
  const chooseLanguage = async (wanted: Language) => {
    await selectLanguage(wanted)
    keep(STORED.language, wanted)
    document.documentElement.lang = wanted === 'zh' ? 'zh-Hans' : 'en'
    setLanguage(wanted)
  }
  return (
    <Shell
      onTheme={switchTheme}
      onLanguage={(wanted) => void chooseLanguage(wanted).catch(() => undefined)}
      onFront={hasFiles ? () => setFront(true) : undefined}
    >
      {showsFront ? (
        <Front onFiles={onFiles} dragged={dragged} openFiles={state.items.length} onBack={() => setFront(false)} />
      ) : (
        <DeskPage desk={desk} state={state} dragged={dragged} />
      )}
    </Shell>
  )
}

export const TITLE = 'Whittle – make any file smaller'

function switchTheme(): void {
  const root = document.documentElement
  const isDark = (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  root.dataset['theme'] = isDark ? 'light' : 'dark'
  keep(STORED.theme, root.dataset['theme'])
}

/** Browsers can forbid pages to store anything. Then the choice ends with the page. */
function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {}
}

/** Language of this person: chosen earlier, or that of the browser. */
export function wantedLanguage(): Language {
  let stored: string | null = null
  try {
    stored = localStorage.getItem(STORED.language)
  } catch {}
  return (stored ?? navigator.language).startsWith('zh') ? 'zh' : 'en'
}
