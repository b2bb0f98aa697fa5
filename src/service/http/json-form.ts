/** Upload form as JSON, for requests whose files are finished uploads. Names and rules are those of the multipart form. */
import { apiMessage } from '../i18n/message.ts'
import { invalidParameter } from '../tasks/api-error.ts'
import { readJson } from './body.ts'
import { type Form, FormContents, type FormRules } from './form.ts'
import { malformed } from './multipart-disposition.ts'
import { refuseUnknownNames } from './unknown-fields.ts'

export const isJson = (contentType: string | undefined) => /^\s*application\/json\s*(;|$)/i.test(contentType ?? '')

export async function readJsonForm<File>(request: Request, rules: FormRules<File>): Promise<Form<File>> {
  const body = await readJson(request)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw malformed('json_is_no_object')
  const { fileFields, uploadFields, textFields } = rules
  const asFile = Object.keys(body).find((name) => fileFields.includes(name))
  if (asFile !== undefined) throw invalidParameter(asFile, apiMessage('file_needs_multipart', { name: asFile }))
  refuseUnknownNames(Object.keys(body), [...uploadFields, ...textFields])
  const contents = new FormContents(rules)
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    if (uploadFields.includes(name)) {
      for (const id of idsOf(name, value)) await contents.addFile('upload', () => rules.take(id))
    } else contents.addField(name, textOf(name, value))
  }
  return contents
}

function idsOf(name: string, value: unknown): string[] {
  const ids: unknown[] = Array.isArray(value) ? value : [value]
  if (ids.every((id) => typeof id === 'string')) return ids
  throw invalidParameter(name, apiMessage('field_must_name_uploads', { name }))
}

/**
 * Returns a field of a JSON body as the text that a form would have.
 * @throws ApiError if it is neither text nor a number
 */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw invalidParameter(name, apiMessage('field_must_be_text_or_number', { name }))
}
