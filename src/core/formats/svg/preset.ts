/** Selects the svgo plugins for a document, their order and the elements they may change. */
import type { PluginConfig } from 'svgo/browser'
import { NOTICE } from './css.ts'
import type { AllowedChanges } from './freedom.ts'
import { guarded, isChangeableGroup, isRemovableGroup, type MarksHolder, plugin, removeDefaults } from './guarded.ts'
import { ElementMarks } from './marks.ts'
import { type RoundingPrecision, roundingPlugins } from './rounding-plugins.ts'
import {
  removeBackgrounds,
  removeEditorData,
  removeEditorNamespaces,
  removeEmptyAttributes,
  removeEmptyMetadata,
  removeGeneratedIds,
  removeUnusedDefinitions,
  shortenValues,
} from './tidy.ts'

/** True if the internal subset of the DOCTYPE must stay, because it declares more than entities, for example default attributes. */
const hasNeededDoctype = (text: string): boolean => /<!(?:ATTLIST|ELEMENT|NOTATION)\b/.test(text.slice(0, 64 * 1024))

function prologPlugins(text: string): PluginConfig[] {
  return [
    ...(hasNeededDoctype(text) ? [] : ['removeDoctype']),
    'removeXMLProcInst',
    { name: 'removeComments', params: { preservePatterns: [/^!/, NOTICE] } },
  ] as PluginConfig[]
}

/** Plugins that change nothing visible, no numbers and no names. */
export const exactPlugins = (text: string, freedom: AllowedChanges): PluginConfig[] => [
  ...prologPlugins(text),
  removeEditorData(freedom),
  removeEditorNamespaces(freedom),
  removeEmptyMetadata(freedom),
]

const marking = (marked: MarksHolder, { hidingClasses }: AllowedChanges): PluginConfig =>
  plugin('mark', (root) => {
    marked.marks = new ElementMarks(root, hidingClasses)
    return null
  })

const NO_MARKS: MarksHolder = { marks: new ElementMarks({ type: 'root', name: '', attributes: {}, children: [] }, new Set()) }

const groupPlugins = (marked: MarksHolder): PluginConfig[] => [
  guarded('moveElemsAttrsToGroup', marked, isChangeableGroup),
  guarded('moveGroupAttrsToElems', marked, isChangeableGroup),
  guarded('collapseGroups', marked, isChangeableGroup),
]

const removeEmptyPlugins = (marked: MarksHolder, freedom: AllowedChanges): PluginConfig[] =>
  freedom.structure ? [removeEmptyAttributes(freedom), guarded('removeEmptyContainers', marked, isRemovableGroup)] : []

/** Plugins that do not depend on the number of decimals. */
export function precisionIndependentPlugins(text: string, freedom: AllowedChanges): PluginConfig[] {
  const marked = { ...NO_MARKS }
  return [
    ...exactPlugins(text, freedom),
    removeGeneratedIds(freedom),
    removeUnusedDefinitions(freedom),
    shortenValues(freedom),
    marking(marked, freedom),
    removeBackgrounds(freedom),
    ...(freedom.structure
      ? [guarded('convertColors', marked, (node, marks) => !marks.of(node).keepsNumbers), ...groupPlugins(marked)]
      : []),
    ...removeEmptyPlugins(marked, freedom),
    'sortAttrs',
    ...(freedom.structure ? ['sortDefsChildren' as const] : []),
  ] as PluginConfig[]
}

/** Plugins that run for every rounding: they round numbers, simplify rounded shapes, or prepare for both. */
export function precisionPlugins(freedom: AllowedChanges, grain: RoundingPrecision, isFirst: boolean): PluginConfig[] {
  const marked = { ...NO_MARKS }
  const rounding = roundingPlugins(grain, freedom, marked)
  return [
    marking(marked, freedom),
    rounding.numbers,
    ...(freedom.structure ? [...(isFirst ? [removeDefaults(marked)] : []), rounding.shapes, ...groupPlugins(marked)] : []),
    rounding.paths,
    rounding.transforms,
    ...removeEmptyPlugins(marked, freedom),
    ...(freedom.structure ? [rounding.merging] : []),
    'sortAttrs',
  ] as PluginConfig[]
}
