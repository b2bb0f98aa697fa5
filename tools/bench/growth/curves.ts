/** Draws the growth curves as SVG. Both axes are logarithmic, so the slope of a curve is its exponent. */

export interface Curve {
  readonly name: string
  readonly points: readonly { readonly megabytes: number; readonly cpuSeconds: number; readonly peakMiB: number }[]
}

type Point = Curve['points'][number]

interface Panel {
  readonly title: string
  readonly unit: string
  readonly from: number
  readonly to: number
  /** Values at 1 MB of the guide lines with exponent 1. */
  readonly guides: readonly number[]
  of(point: Point): number
}

const PANELS: readonly Panel[] = [
  { title: 'CPU seconds', unit: 's', from: 0.01, to: 1000, guides: [0.01, 0.1, 1, 10], of: ({ cpuSeconds }) => cpuSeconds },
  { title: 'Peak memory above idle', unit: 'MB', from: 3, to: 1000, guides: [1, 10, 100], of: ({ peakMiB }) => peakMiB },
]

const [WIDTH, PANEL_HEIGHT] = [920, 470]
const PLOT = { left: 70, right: 760, top: 46, bottom: 424 }
const [LEAST_MB, MOST_MB] = [0.5, 700]
const LABEL_STEP = 15
/** Curve colours that are visible on white and on black. */
const COLOURS = ['#d1495b', '#2f86c9', '#3f9b57', '#c77d0a', '#8a63c9', '#1d9c9c', '#b5589a', '#7d8a1c']
const DASHES = ['', '7 3', '2 3']

const STYLE = `text{font:12px system-ui,sans-serif;fill:#444}.title{font-size:15px;font-weight:600}
.grid{stroke:#8888;stroke-width:.4}.guide{stroke:#888;stroke-width:.8;stroke-dasharray:1 4}.curve{fill:none;stroke-width:1.8}
.lead{fill:none;stroke-width:.7;opacity:.4}@media(prefers-color-scheme:dark){text{fill:#ccc}}`

/** Returns an SVG with one panel for CPU time and one for memory. The name of each curve is at its end. */
export function curves(all: readonly Curve[]): string {
  const height = PANELS.length * PANEL_HEIGHT
  const panels = PANELS.map((panel, i) => `<g transform="translate(0 ${i * PANEL_HEIGHT})">\n${drawPanel(panel, all)}</g>\n`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<title>CPU seconds and peak memory over size of file</title>
<style>${STYLE}</style>
${panels.join('')}</svg>
`
}

const share = (value: number, from: number, to: number) => Math.log(value / from) / Math.log(to / from)
const across = (megabytes: number) => PLOT.left + share(megabytes, LEAST_MB, MOST_MB) * (PLOT.right - PLOT.left)
const round = (value: number) => Number(value.toFixed(1))

function drawPanel(panel: Panel, all: readonly Curve[]): string {
  const up = (value: number) => PLOT.bottom - Math.min(1, Math.max(0, share(value, panel.from, panel.to))) * (PLOT.bottom - PLOT.top)
  const ends = all.map(({ points }) => up(panel.of(points.at(-1)!)))
  const labels = spread(ends)
  const lines = all.map(({ name, points }, i) => {
    const colour = COLOURS[i % COLOURS.length]!
    const dash = DASHES[Math.floor(i / COLOURS.length) % DASHES.length]
    const places = points.map((point) => `${round(across(point.megabytes))} ${round(up(panel.of(point)))}`)
    const [x, y] = [round(across(points.at(-1)!.megabytes)), round(ends[i]!)]
    const label = round(labels[i]!)
    return `<path class="curve" stroke="${colour}"${dash ? ` stroke-dasharray="${dash}"` : ''} d="M${places.join('L')}"/>
<circle cx="${x}" cy="${y}" r="2.6" fill="${colour}"/><path class="lead" stroke="${colour}" d="M${x + 4} ${y}L${PLOT.right + 12} ${label}h12"/>
<text x="${PLOT.right + 28}" y="${label + 4}" style="fill:${colour}">${name}</text>
`
  })
  return `<text class="title" x="${PLOT.left}" y="24">${panel.title}</text>\n${axes(panel, up)}${guides(panel)}${lines.join('')}`
}

/** Returns the y positions of the labels next to the curve ends. Labels do not overlap and stay within the panel. */
function spread(ends: readonly number[]): number[] {
  const order = ends.map((_, i) => i).toSorted((a, b) => ends[a]! - ends[b]!)
  const places = [...ends]
  let least = PLOT.top - 20
  for (const i of order) {
    places[i] = Math.max(least, ends[i]! - LABEL_STEP / 3)
    least = places[i]! + LABEL_STEP
  }
  let most = PLOT.bottom - 4
  for (const i of order.toReversed()) {
    places[i] = Math.min(most, places[i]!)
    most = places[i]! - LABEL_STEP
  }
  return places
}

function axes(panel: Panel, up: (value: number) => number): string {
  const across4 = [1, 4, 16, 64, 256, 500].map((megabytes) => {
    const x = round(across(megabytes))
    const label = `<text x="${x}" y="${PLOT.bottom + 18}" text-anchor="middle">${megabytes}${megabytes === 500 ? ' MB' : ''}</text>`
    return `<path class="grid" d="M${x} ${PLOT.top}V${PLOT.bottom}"/>${label}\n`
  })
  const values = [0.01, 0.1, 1, 10, 100, 1000].filter((value) => value >= panel.from && value <= panel.to)
  const rows = values.map((value) => {
    const y = round(up(value))
    const label = `<text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${value} ${panel.unit}</text>`
    return `<path class="grid" d="M${PLOT.left} ${y}H${PLOT.right}"/>${label}\n`
  })
  return [...across4, ...rows].join('')
}

/** Draws guide lines of exponent 1, clipped to the panel. */
function guides({ from, to, guides: values }: Panel): string {
  const drawnOf = (atOne: number) => {
    const [first, last] = [Math.max(LEAST_MB, from / atOne), Math.min(MOST_MB, to / atOne)]
    const y = (megabytes: number) => round(PLOT.bottom - share(megabytes * atOne, from, to) * (PLOT.bottom - PLOT.top))
    return `<path class="guide" d="M${round(across(first))} ${y(first)}L${round(across(last))} ${y(last)}"/>\n`
  }
  return values.map(drawnOf).join('')
}
