/** Dashboard, alert rules and scrape configuration in deploy/observability use only metrics, labels and options that exist. */
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatingMetrics } from '../../../src/local/observability/metrics.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number }
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const dashboard = JSON.parse(read('deploy/observability/dashboard.json')) as Dashboard
const alerts = read('deploy/observability/alerts.yaml')
/** Expressions of the alert rules: the rest of the line, or the more indented lines below `>-`. */
const alertExpressions = [...alerts.matchAll(/^ {8}expr: (?:>-\n((?: {10}.+\n)+)|(.+)\n)/gm)].map(([, block, line]) => (block ?? line)!)

/** Labels of each metric, by the names that Prometheus stores. */
async function exposed(): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const metrics = new OperatingMetrics(tmpdir()).registry.getMetricsAsArray() as unknown as {
    name: string
    labelNames: string[]
    type: string
  }[]
  for (const { name, labelNames, type } of metrics) {
    const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    for (const one of names) found.set(one, type === 'histogram' ? [...labelNames, 'le'] : labelNames)
  }
  return found
}

/** Metrics of an expression, each with the labels that it selects or groups by. */
function usedIn(expression: string): { name: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
  return [...expression.matchAll(/\b((?:whittle|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...grouped, ...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)],
  }))
}

async function unknownIn(expression: string): Promise<string[]> {
  const known = await exposed()
  const used = usedIn(expression)
  return used.flatMap(({ name, labels }) => {
    const allowed = known.get(name)
    return allowed ? labels.filter((label) => !allowed.includes(label)).map((label) => `${name}{${label}}`) : [name]
  })
}

it('an expression with a metric or a label that does not exist is found', async () => {
  expect(await unknownIn('sum by (shape) (rate(whittle_jobs_total{format="pdf"}[5m])) + whittle_unknown')).toEqual([
    'whittle_jobs_total{shape}',
    'whittle_unknown',
  ])
  expect(await unknownIn('rate(whittle_job_duration_seconds_bucket{le="5"}[5m])')).toEqual([])
  expect(await unknownIn('whittle_job_duration_seconds')).toEqual(['whittle_job_duration_seconds'])
})

describe('the dashboard', () => {
  const expressions = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
  )

  it.each(expressions)('%s: %s', async (_, expression, legend) => {
    expect(usedIn(expression).length).toBeGreaterThan(0)
    expect(await unknownIn(expression)).toEqual([])
    const known = await exposed()
    const labels = usedIn(expression).flatMap(({ name }) => known.get(name) ?? [])
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(labels).toContain(label)
  })

  it('shows every metric of the service, in panels that do not overlap', async () => {
    const used = new Set(dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => usedIn(expr).map(({ name }) => name))))
    const metrics = new OperatingMetrics(tmpdir()).registry.getMetricsAsArray().map(({ name }) => name)
    const shown = (name: string) => [...used].some((one) => one === name || one.replace(/_(bucket|sum|count)$/, '') === name)
    expect(metrics.filter((name) => name.startsWith('whittle_') && !shown(name))).toEqual([])
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x},${y}`)
    expect(new Set(places).size).toBe(dashboard.panels.length)
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})

describe('the alert rules', () => {
  it('have an expression, a severity and a summary each', () => {
    const names = [...alerts.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(5)
    expect(new Set(names).size).toBe(names.length)
    expect(alertExpressions).toHaveLength(names.length)
    expect([...alerts.matchAll(/^ {8}labels: \{ severity: (page|warn) \}$/gm)]).toHaveLength(names.length)
    expect([...alerts.matchAll(/^ {10}summary: .{10,}$/gm)]).toHaveLength(names.length)
  })

  it.each(alertExpressions)('%s', async (expression) => {
    expect(await unknownIn(expression)).toEqual([])
    expect(expression.split('(').length).toBe(expression.split(')').length)
    expect(usedIn(expression).length > 0 || expression.startsWith('up{')).toBe(true)
  })
})

it('the scrape configuration loads the rules and names the job that they use', () => {
  const prometheus = read('deploy/observability/prometheus.yaml')
  expect(prometheus).toContain('rule_files: [alerts.yaml]')
  const [, job] = /job_name: (\w+)/.exec(prometheus) ?? []
  expect(alerts).toContain(`up{job="${job}"}`)
})
