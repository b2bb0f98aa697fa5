/** Usage as CSV (RFC 4180) for spreadsheets. */
import type { CallsOfKey, Usage } from './api.ts'

/** Prefixes an apostrophe to text that a spreadsheet would run as a formula. */
const cell = (value: string | number) => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One row for each day, format and key of the month. Sizes are in bytes. */
export function usageCsv(usage: Usage, keys: readonly CallsOfKey[]): string {
  const rows: (string | number)[][] = [['what', 'name', 'application', 'api_calls', 'tasks', 'original_size', 'compressed_size']]
  for (const day of usage.by_day) rows.push(['day', day.day, '', day.api_calls, day.tasks, day.original_size, day.compressed_size])
  for (const [format, sums] of Object.entries(usage.by_format)) {
    rows.push(['format', format, '', '', sums.tasks, sums.original_size, sums.compressed_size])
  }
  for (const key of keys) rows.push(['key', key.name ?? key.masked ?? 'console', key.application ?? '', key.api_calls, '', '', ''])
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Downloads a text as a file. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
