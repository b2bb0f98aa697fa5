/** Bar chart by day for one month. */
import { useEffect, useState } from 'preact/hooks'
import { dayName, t } from './language.ts'
import { scaleFor } from './plot-scale.ts'

/** Width of a chart in pixels. A narrow one is for phones and side columns, so that its labels stay readable. */
const NARROW = 300
const WIDE = 760
const HEIGHT = 150
/** Space for axis labels in pixels. */
const [LEFT, FOOT, TOP] = [52, 22, 8]

export interface PlotProps {
  readonly title: string
  /** Month such as "2026-11". */
  readonly month: string
  readonly names: readonly string[]
  /** Values by day, such as "2026-11-20". Bars of one day are side by side. */
  readonly values: ReadonlyMap<string, readonly number[]>
  readonly unit: 'count' | 'bytes'
  readonly show: (value: number) => string
  readonly isNarrow?: boolean
}

export function daysOf(month: string): string[] {
  const count = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  return Array.from({ length: count }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`)
}

/** True while the screen is as narrow as a phone, also after it was turned. */
function useNarrowScreen(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 40rem)'))
  const [isNarrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const follow = () => setNarrow(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [query])
  return isNarrow
}

export function Plot(props: PlotProps) {
  const { title, month, values, unit, show } = props
  const isNarrowScreen = useNarrowScreen()
  const width = props.isNarrow || isNarrowScreen ? NARROW : WIDE
  const most = [...values.values()].flat().reduce((found, value) => Math.max(found, value), 0)
  if (most === 0) return <p class="muted small">{t('Nothing in this month yet.')}</p>
  const scale = scaleFor(most, unit)
  const heightOf = (value: number) => (Math.max(0, value) / scale.most) * (HEIGHT - TOP)
  const told = [...values].map(([day, ofDay]) => `${dayName(day)}: ${ofDay.map(show).join(', ')}`).join('; ')
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${HEIGHT + FOOT}`} role="img" aria-label={`${title}: ${told}`}>
      {scale.ticks.map(({ value, label }) => (
        <g key={value}>
          <line class="g" x1={LEFT} x2={width} y1={HEIGHT - heightOf(value)} y2={HEIGHT - heightOf(value)} />
          <text x={LEFT - 8} y={HEIGHT - heightOf(value) + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {daysOf(month).map((day, i) => (
        <Day key={day} {...props} day={day} index={i} slot={(width - LEFT) / daysOf(month).length} heightOf={heightOf} />
      ))}
    </svg>
  )
}

interface DayProps extends PlotProps {
  readonly day: string
  readonly index: number
  /** Width of a day in pixels. */
  readonly slot: number
  readonly heightOf: (value: number) => number
}

function Day({ names, values, show, day, index, slot, heightOf }: DayProps) {
  const ofDay = values.get(day) ?? []
  const bar = (slot * 0.76) / Math.max(1, ofDay.length)
  return (
    <g>
      {ofDay.map((value, j) => (
        <rect
          key={names[j]}
          class={`b b--${j}`}
          x={LEFT + index * slot + slot * 0.12 + j * bar}
          y={HEIGHT - heightOf(value)}
          width={Math.max(1, bar - 1)}
          height={heightOf(value)}
          rx={1.5}
        >
          <title>{`${dayName(day)}: ${show(value)}`}</title>
        </rect>
      ))}
      {(index === 0 || (index + 1) % 10 === 0) && (
        <text x={LEFT + index * slot + slot / 2} y={HEIGHT + 16} text-anchor="middle">
          {index + 1}
        </text>
      )}
    </g>
  )
}

/** Names of the bars of one day. */
export const PlotKeys = ({ names }: { names: readonly string[] }) => (
  <p class="keys small muted">
    {names.map((name, i) => (
      <span key={name} class={`keys__item keys__item--${i}`}>
        {name}
      </span>
    ))}
  </p>
)
