/** Usage as CSV (RFC 4180), for a spreadsheet. */
import type { CallsOfKey, Usage } from './api.ts'

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
const cell = (value: string | number) => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line for each day, each format and each key of the month; sizes are bytes. */
export function usageCsv(usage: Usage, keys: readonly CallsOfKey[]): string {
  const rows: (string | number)[][] = [['what', 'name', 'application', 'api_calls', 'tasks', 'original_size', 'compressed_size']]
  for (const day of usage.by_day) rows.push(['day', day.day, '', day.api_calls, day.tasks, day.original_size, day.compressed_size])
  for (const [format, sums] of Object.entries(usage.by_format)) {
    rows.push(['format', format, '', '', sums.tasks, sums.original_size, sums.compressed_size])
  }
  for (const key of keys) rows.push(['key', key.name ?? key.masked ?? 'console', key.application ?? '', key.api_calls, '', '', ''])
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** Hands a text to the reader as a file. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
