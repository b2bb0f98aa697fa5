/** Axis of a chart: round steps, whole numbers for counts. */

export interface Scale {
  /** Value at the top of the axis. */
  readonly most: number
  readonly ticks: readonly { readonly value: number; readonly label: string }[]
}

/** Steps between two lines, each times a power of ten. */
const STEPS = [1, 2, 5, 10]
/** Most steps of an axis. */
const MAX_STEPS = 4
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Label of a size in bytes, without decimals that say nothing: `20 MB`, `1.5 GB`. */
function sizeLabel(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${Number(value.toPrecision(3))} ${UNITS[unit]}`
}

/** Returns the axis for values up to `most`. Its steps are whole numbers. */
export function scaleFor(most: number, unit: 'count' | 'bytes'): Scale {
  const least = Math.max(1, most / MAX_STEPS)
  const power = 10 ** Math.floor(Math.log10(least))
  const step = STEPS.map((one) => one * power).find((one) => one >= least) ?? least
  const count = Math.max(1, Math.ceil(most / step))
  const label = (value: number) => (unit === 'bytes' && value > 0 ? sizeLabel(value) : value.toLocaleString('en'))
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({ value: i * step, label: label(i * step) }))
  return { most: count * step, ticks }
}
