/** Code in several languages: tabs, and a button that copies. */
import { useRef, useState } from 'preact/hooks'
import { t } from '../language.ts'
import { guide, LINKS } from '../links.ts'
import { codeSamples } from '../model/code-samples.ts'
import type { Settings } from '../model/protocol.ts'
import { Icon } from './icon.tsx'

interface CodeSamplesProps {
  /** Name of the file, and of the result. */
  readonly name: string
  readonly output: string
  readonly settings: Settings
  /** Prefix of the ids of this block. */
  readonly id: string
}

/** Address of the service. The page that is made at build time has none yet. */
const origin = () => (typeof location === 'undefined' ? 'https://whittle.example.com' : location.origin)

export function CodeSamples({ name, output, settings, id }: CodeSamplesProps) {
  const samples = codeSamples({ name, output, settings, origin: origin() })
  const [chosen, setChosen] = useState('curl')
  const [isCopied, setCopied] = useState(false)
  const tabs = useRef<HTMLDivElement>(null)
  const sample = samples.find((one) => one.id === chosen) ?? samples[0]!
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const index = (samples.indexOf(sample) + step + samples.length) % samples.length
    setChosen(samples[index]!.id)
    tabs.current?.querySelectorAll('button')[index]?.focus()
  }
  const copy = async () => {
    await navigator.clipboard.writeText(sample.text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div class="code">
      <div class="code__bar">
        <div class="tabs" role="tablist" aria-label={t('Language')} ref={tabs} onKeyDown={move}>
          {samples.map((one) => (
            <button
              key={one.id}
              type="button"
              role="tab"
              id={`${id}-tab-${one.id}`}
              aria-controls={`${id}-panel`}
              aria-selected={one === sample}
              tabIndex={one === sample ? 0 : -1}
              onClick={() => setChosen(one.id)}
            >
              {one.title}
            </button>
          ))}
        </div>
        <button
          type="button"
          class="btn btn--quiet btn--sm"
          onClick={() => void copy().catch(() => undefined)}
          aria-label={isCopied ? t('Copied') : t('Copy')}
        >
          <Icon name={isCopied ? 'check' : 'copy'} />
          <span class="only-wide">{isCopied ? t('Copied') : t('Copy')}</span>
        </button>
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${sample.id}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
        <pre tabIndex={0}>
          <code>{sample.text.split(PIECES).map(coloured)}</code>
        </pre>
      </div>
      <p class="code__foot small">
        {t('The packages are not published yet.')} <a href={guide(LINKS.guides)}>{t('How to install them')}</a>
      </p>
    </div>
  )
}

/** Comments, strings and the rest. */
const PIECES = /((?:^|\n)#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/

const coloured = (piece: string, index: number) => {
  if (index % 2 === 0) return piece
  return (
    <span key={index} class={/^\n?#/.test(piece) ? 'c' : 's'}>
      {piece}
    </span>
  )
}
