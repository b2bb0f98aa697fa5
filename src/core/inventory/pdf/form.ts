/** Form fields (ISO 32000-2, 12.7). */
import { oneAction } from './actions.ts'
import type { PdfDocument } from './document.ts'
import { addFontsOfForms } from './fonts.ts'
import { nameText, PdfDictionary, PdfReference, type PdfValue } from './values.ts'
import { NumberSet } from './xref-table.ts'

const MAX_LEVELS = 64
const OF_FORM = ['XFA', 'NeedAppearances', 'SigFlags'] as const
/** Entries that fields inherit from the form. */
const OF_BOTH: readonly string[] = ['DA', 'Q']
const OF_FIELD = ['V', 'DV', 'TU', 'TM', 'MaxLen', 'Opt', 'Ff', 'DA', 'DS', 'Q', 'RV', 'I', 'TI', 'Lock', 'SV'] as const

interface Field {
  readonly value: PdfValue
  /** Names of the parents, with dots. */
  readonly path: string
  /** Inherited field type. */
  readonly type: string
  readonly level: number
}

export async function addForm(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling } = document
  const form = await file.dictionary(catalog.get('AcroForm'))
  if (!form) return
  await addFontsOfForms(document, form)
  const order = await file.array(form.get('CO'))
  if (order.length > 0) items.add('form', `CO = ${order.length} calculated fields`)
  for (const key of OF_FORM) {
    if ((await file.resolve(form.get(key))) !== null) items.add('form', `${key} = ${await spelling.of(form.get(key))}`)
  }
  const seen = new NumberSet()
  const stack: Field[] = (await file.array(form.get('Fields'))).map((value) => ({ value, path: '', type: '', level: 0 })).reverse()
  for (let field = stack.pop(); field; field = stack.pop()) {
    document.signal.throwIfAborted()
    if (field.level > MAX_LEVELS || (field.value instanceof PdfReference && !seen.add(field.value.number))) continue
    for (const kid of await addField(document, form, field)) stack.push(kid)
  }
}

/** Adds a field and returns its kids. A field whose kids have no names is one field with several widgets. */
async function addField(document: PdfDocument, form: PdfDictionary, { value, path, type, level }: Field): Promise<Field[]> {
  const { file, items, spelling } = document
  const field = await file.resolve(value)
  if (!(field instanceof PdfDictionary)) return []
  const own = await file.resolve(field.get('T'))
  const name = [path, own === null ? '' : await spelling.of(own)].filter((part) => part !== '').join('.')
  const ownType = nameText(await file.resolve(field.get('FT'))) || type
  const kids: Field[] = []
  let hasNamedKid = false
  for (const kid of await file.array(field.get('Kids'))) {
    const dictionary = await file.resolve(kid)
    if (!(dictionary instanceof PdfDictionary)) continue
    kids.push({ value: kid, path: name, type: ownType, level: level + 1 })
    hasNamedKid ||= (await file.resolve(dictionary.get('T'))) !== null
  }
  if (!hasNamedKid) items.add('fields', `${name} ${ownType} = ${await fieldText(document, form, field)}`)
  await addFieldScripts(document, name, field)
  return kids.reverse()
}

async function fieldText({ file, spelling }: PdfDocument, form: PdfDictionary, field: PdfDictionary): Promise<string> {
  const parts: string[] = []
  for (const key of OF_FIELD) {
    const own = await file.resolve(field.get(key))
    const holder = own === null && OF_BOTH.includes(key) ? form : field
    if ((await file.resolve(holder.get(key))) !== null) parts.push(`/${key} ${await spelling.of(holder.get(key))}`)
  }
  return parts.join(' ')
}

async function addFieldScripts(document: PdfDocument, name: string, field: PdfDictionary): Promise<void> {
  const { file, items, spelling } = document
  const [more, action] = [await file.resolve(field.get('AA')), await file.resolve(field.get('A'))]
  if (more === null && action === null) return
  const text = action instanceof PdfDictionary ? await oneAction(document, action) : ''
  items.add('scripts', `field ${name} = ${more === null ? '' : await spelling.of(more)} ${text}`)
}
