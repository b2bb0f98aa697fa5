/** Before and after, with zoom, and with pages if the file is a document. */
import { useState } from 'preact/hooks'
import { t } from '../language.ts'
import type { Compressed, FormatId } from '../model/protocol.ts'
import { Compare, type Zoom } from '../parts/compare.tsx'
import { Icon } from '../parts/icon.tsx'
import { isShown, usePair, useSeries } from './pair.ts'

interface ViewerProps {
  readonly file: File
  readonly format: FormatId
  /** `undefined`: it is being compressed. */
  readonly result: Compressed | undefined
}

const ZOOMS: readonly (readonly [Zoom, string])[] = [
  [0, 'Fit'],
  [1, '100 %'],
  [2, '200 %'],
]

export function Viewer({ file, format, result }: ViewerProps) {
  const [zoom, setZoom] = useState<Zoom>(0)
  const [number, setNumber] = useState(1)
  const [size, setSize] = useState<readonly [number, number]>()
  const series = useSeries(file, format, result)
  const pair = usePair(file, format, result, series && series.count > 0 ? { series, number } : undefined)
  if (!result || !pair) return result && isShown(format, result, file) && series?.count !== 0 ? <div class="viewer__wait" /> : null
  return (
    <div class="viewer">
      <Compare
        before={pair.before}
        after={pair.after}
        sizes={pair.sizes}
        zoom={zoom}
        alt={file.name}
        onDimensions={(width, height) => setSize([width, height])}
      />
      <div class="viewer__bar">
        <fieldset class="seg">
          <legend class="vh">{t('Zoom')}</legend>
          {ZOOMS.map(([value, text]) => (
            <label key={value}>
              <input type="radio" name={`zoom-${file.name}`} checked={zoom === value} onChange={() => setZoom(value)} />
              <span>{t(text)}</span>
            </label>
          ))}
        </fieldset>
        {series && series.count > 1 && (
          <span class="pager">
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm pager__back"
              disabled={number <= 1}
              onClick={() => setNumber(number - 1)}
              aria-label={t('Back')}
            >
              <Icon name="chevron-down" />
            </button>
            <span class="small num">{t(...series.name(number))}</span>
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm pager__next"
              disabled={number >= series.count}
              onClick={() => setNumber(number + 1)}
              aria-label={t('Next')}
            >
              <Icon name="chevron-down" />
            </button>
          </span>
        )}
        {!series && size && <span class="small muted num">{t('{width} × {height} pixels', { width: size[0], height: size[1] })}</span>}
      </div>
    </div>
  )
}
