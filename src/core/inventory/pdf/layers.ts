/** Layers, which PDF calls optional content (ISO 32000-2, 8.11). */
import type { PdfDocument } from './document.ts'
import { PdfDictionary, type PdfValue } from './values.ts'

const STATES = ['ON', 'OFF', 'Locked', 'RBGroups', 'AS'] as const
const SETTINGS = ['BaseState', 'Intent', 'ListMode', 'Order'] as const

export async function addLayers(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling } = document
  const properties = await file.dictionary(catalog.get('OCProperties'))
  if (!properties) return
  for (const value of await file.array(properties.get('OCGs'))) {
    const layer = await file.dictionary(value)
    if (layer) items.add('layers', `${await spelling.of(layer.get('Name'))} = ${await spelling.entries(layer, ['Name', 'Type'])}`)
  }
  await addConfiguration(document, 'state', properties.get('D'))
  for (const [index, configuration] of (await file.array(properties.get('Configs'))).entries()) {
    await addConfiguration(document, `configuration ${index}`, configuration)
  }
}

async function addConfiguration({ file, items, spelling }: PdfDocument, place: string, value: PdfValue | undefined): Promise<void> {
  const configuration = await file.resolve(value)
  if (!(configuration instanceof PdfDictionary)) return
  for (const key of STATES) {
    const names: string[] = []
    for (const item of await file.array(configuration.get(key))) names.push(await spelling.of([item]))
    if (names.length > 0) items.add('layers', `${place} ${key} = ${names.sort().join(' ')}`)
  }
  for (const key of SETTINGS) {
    const setting = await file.resolve(configuration.get(key))
    const isEmpty = setting === null || (Array.isArray(setting) && setting.length === 0)
    if (!isEmpty) items.add('layers', `${place} ${key} = ${await spelling.of(configuration.get(key))}`)
  }
}
