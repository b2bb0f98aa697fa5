/** Upload form as JSON, for requests whose files are finished uploads or addresses. Names and rules are those of the multipart form. */
import { apiMessage } from '../i18n/message.ts'
import { invalidParameter } from '../tasks/api-error.ts'
import { readJsonObject } from './body.ts'
import { type Form, FormContents, type FormRules } from './form.ts'
import { refuseUnknownNames } from './unknown-fields.ts'

export const isJson = (contentType: string | undefined) => /^\s*application\/json\s*(;|$)/i.test(contentType ?? '')

export async function readJsonForm<File>(request: Request, rules: FormRules<File>): Promise<Form<File>> {
  const body = await readJsonObject(request)
  const { fileFields, uploadFields, urlFields, objectFields, textFields, jsonFields } = rules
  const asFile = Object.keys(body).find((name) => fileFields.includes(name))
  if (asFile !== undefined) throw invalidParameter(asFile, apiMessage('file_needs_multipart', { name: asFile }))
  refuseUnknownNames(Object.keys(body), [...uploadFields, ...urlFields, ...objectFields, ...textFields])
  const contents = new FormContents(rules)
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    if (objectFields.includes(name)) {
      for (const text of objectsOf(name, value, rules)) await contents.sourceNamed(name, text)
    } else if (uploadFields.includes(name) || urlFields.includes(name)) {
      for (const text of textsOf(name, value, rules)) await contents.sourceNamed(name, text)
    } else contents.addField(name, jsonFields.includes(name) && typeof value === 'object' ? JSON.stringify(value) : textOf(name, value))
  }
  return contents
}

/** Returns the upload ids or addresses in a field of a JSON body. @throws ApiError if it is neither text nor a list of texts */
function textsOf<File>(name: string, value: unknown, { urlFields, maxFiles }: FormRules<File>): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value]
  const isUrl = urlFields.includes(name)
  if (texts.every((text) => typeof text === 'string') && !(isUrl && maxFiles === 1 && Array.isArray(value))) return texts
  const code = isUrl ? (maxFiles === 1 ? 'field_must_be_one_address' : 'field_must_name_addresses') : 'field_must_name_uploads'
  throw invalidParameter(name, apiMessage(code, { name }))
}

/** Returns the objects in a field of a JSON body, as texts. @throws ApiError if it is neither an object nor a list of objects */
function objectsOf<File>(name: string, value: unknown, { maxFiles }: FormRules<File>): string[] {
  const objects: unknown[] = Array.isArray(value) ? value : [value]
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one)
  if (objects.every(isObject) && !(maxFiles === 1 && Array.isArray(value))) return objects.map((one) => JSON.stringify(one))
  throw invalidParameter(name, apiMessage(maxFiles === 1 ? 'field_must_be_json_object' : 'field_must_name_objects', { name }))
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
