/** Bar chart by day for one month. */
import { t } from './language.ts'

const HEIGHT = 170
/** Width of the chart in pixels on a phone, so that axis labels stay readable. */
const NARROW = 340
const WIDE = 640
/** Space for axis labels in pixels. */
const [LEFT, FOOT, TOP] = [58, 22, 10]
const LINES = 4

export interface PlotProps {
  readonly title: string
  /** Month such as "2026-11". */
  readonly month: string
  readonly names: readonly string[]
  /** Values by day, such as "2026-11-20". Bars of one day are side by side. */
  readonly values: ReadonlyMap<string, readonly number[]>
  readonly show: (value: number) => string
}

/** Next larger value of 1, 2 or 5 times a power of ten, so that grid lines have round numbers. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 4, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

export function daysOf(month: string): string[] {
  const count = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  return Array.from({ length: count }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`)
}

export function Plot({ title, month, names, values, show }: PlotProps) {
  const days = daysOf(month)
  const width = matchMedia('(max-width: 40rem)').matches ? NARROW : WIDE
  const most = roundUp([...values.values()].flat().reduce((most, value) => Math.max(most, value), LINES))
  const slot = (width - LEFT) / days.length
  const heightOf = (value: number) => (value / most) * (HEIGHT - TOP)
  const told = [...values].map(([day, ofDay]) => `${day} ${ofDay.map(show).join(', ')}`).join('; ')
  return (
    <figure>
      <figcaption>
        {title}
        {names.length > 1 &&
          names.map((name, i) => (
            <span key={name} class={`key key-${i}`}>
              {name}
            </span>
          ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT + FOOT}`} role="img" aria-label={`${title}: ${told || t('nothing yet')}`}>
        {Array.from({ length: LINES + 1 }, (_, i) => (most * i) / LINES).map((value) => (
          <g key={value}>
            <line class="axis" x1={LEFT} x2={width} y1={HEIGHT - heightOf(value)} y2={HEIGHT - heightOf(value)} />
            <text x={LEFT - 6} y={HEIGHT - heightOf(value) + 4} text-anchor="end">
              {show(value)}
            </text>
          </g>
        ))}
        {days.map((day, i) => {
          const ofDay = values.get(day) ?? []
          const bar = (slot * 0.8) / Math.max(1, ofDay.length)
          return (
            <g key={day}>
              {ofDay.map((value, j) => (
                <rect
                  key={names[j]}
                  class={`bar-${j}`}
                  x={LEFT + i * slot + slot * 0.1 + j * bar}
                  y={HEIGHT - heightOf(value)}
                  width={Math.max(1, bar - 1)}
                  height={heightOf(value)}
                >
                  <title>{`${day}: ${show(value)}`}</title>
                </rect>
              ))}
              {(i === 0 || (i + 1) % 5 === 0) && (
                <text x={LEFT + i * slot + slot / 2} y={HEIGHT + 16} text-anchor="middle">
                  {i + 1}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </figure>
  )
}
