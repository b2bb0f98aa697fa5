/** The front page: what Whittle does, a place for files, an example, and one screen of explanations. */
import { useEffect, useState } from 'preact/hooks'
import { plural, sizeText, t } from '../language.ts'
import { EXAMPLE, LINKS, SAMPLES } from '../links.ts'
import { FACTS } from '../model/facts.ts'
import { DEFAULTS } from '../model/settings.ts'
import { CodeSamples } from '../parts/code.tsx'
import { Compare } from '../parts/compare.tsx'
import { DropZone } from '../parts/drop-zone.tsx'
import { Icon } from '../parts/icon.tsx'
import { ReceiptCard } from '../parts/receipt.tsx'
import { Facts, Formats, Proof } from './explain.tsx'

interface FrontProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly dragged: number | undefined
  /** Files that are open beside this page. */
  readonly openFiles: number
  readonly onBack: () => void
}

export function Front({ onFiles, dragged, openFiles, onBack }: FrontProps) {
  return (
    <main id="main" tabIndex={-1}>
      <section class="wrap hero">
        <div>
          <h1>
            <span>{t('Make any file smaller.')}</span> <span>{t('See the proof.')}</span>
          </h1>
          <p class="lead">
            {t(
              'Whittle shrinks pictures, documents and data, compares the result with your file, and gives you a receipt of what was kept.',
            )}
          </p>
          {openFiles > 0 && (
            <button type="button" class="btn hero__back" onClick={onBack}>
              {plural(openFiles, 'Back to 1 file', 'Back to {count} files')}
              <Icon name="arrow-right" />
            </button>
          )}
          <DropZone onFiles={onFiles} dragged={dragged} />
          <Samples onFiles={onFiles} />
        </div>
        <Example onFiles={onFiles} />
      </section>
      <Formats />
      <Proof />
      <section class="section wrap">
        <div class="split">
          <div>
            <h2 class="split__title">{t('The same engines in your code')}</h2>
            <p class="split__text">
              {t(
                'The library and the command run on your own computer and need no key. The service signs its receipts. All give the same bytes.',
              )}
            </p>
            <div class="row">
              <a class="btn btn--primary" href={LINKS.guides}>
                {t('Quick start')}
              </a>
              <a class="btn" href={LINKS.api}>
                {t('API reference')}
              </a>
            </div>
          </div>
          <CodeSamples name="photo.jpg" output="photo.small.jpg" settings={DEFAULTS} id="home" />
        </div>
      </section>
      <Facts />
    </main>
  )
}

/** Fetches a file of this site and opens it as if the visitor had dropped it. Without a network, nothing happens. */
function openSample(address: string, name: string, onFiles: FrontProps['onFiles']): void {
  const fetched = async () => {
    const blob = await (await fetch(address)).blob()
    onFiles([new File([blob], name, { type: blob.type })])
  }
  void fetched().catch(() => undefined)
}

function Samples({ onFiles }: Pick<FrontProps, 'onFiles'>) {
  const samples = [
    { ...SAMPLES.photo, icon: 'image', title: t('Photo'), bytes: FACTS.samples.photo },
    { ...SAMPLES.screenshot, icon: 'laptop', title: t('Screenshot'), bytes: FACTS.samples.screenshot },
  ] as const
  return (
    <div class="try">
      <span class="muted small">{t('No file at hand? Try one:')}</span>
      <div class="row">
        {samples.map(({ address, name, icon, title, bytes }) => (
          <button key={name} type="button" class="sample" onClick={() => openSample(address, name, onFiles)}>
            <span class="thumb thumb--sm">
              <Icon name={icon} />
            </span>
            <span>
              {title}
              <small>{sizeText(bytes)}</small>
            </span>
          </button>
        ))}
      </div>
    </div>
  )
}

/** A receipt of a real result. The button compresses the same picture again on this device. */
function Example({ onFiles }: Pick<FrontProps, 'onFiles'>) {
  const [before, setBefore] = useState<string>()
  // The picture before is the larger half, so it waits for everything that the page needs first.
  useEffect(() => {
    const show = () => setBefore(EXAMPLE.before)
    if (document.readyState === 'complete') return show()
    addEventListener('load', show, { once: true })
    return () => removeEventListener('load', show)
  }, [])
  const { example } = FACTS
  const picture = (
    <Compare
      before={before}
      after={EXAMPLE.after}
      sizes={[example.original_size, example.compressed_size]}
      dimensions={[600, 452]}
      alt={t('London roofs and a clock tower under a blue sky')}
    />
  )
  return (
    <ReceiptCard receipt={example} fileName="roofs.jpg" picture={picture} isExample>
      <button type="button" class="btn btn--sm" onClick={() => openSample(EXAMPLE.before, 'roofs.jpg', onFiles)}>
        {t('Run it here')}
      </button>
    </ReceiptCard>
  )
}
