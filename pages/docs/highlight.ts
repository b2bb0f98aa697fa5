/**
 * Highlights code with classes. Shiki writes colours as `style` attributes, which the Content Security Policy forbids, so each colour of
 * this theme is a key that is replaced by a class.
 */

const CLASSES = { '#000001': 'code-key', '#000002': 'code-str', '#000003': 'code-num', '#000004': 'code-dim' } as const

const rule = (foreground: keyof typeof CLASSES, ...scope: string[]) => ({ scope, settings: { foreground } })

export const THEME = {
  name: 'whittle',
  type: 'light' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    rule(
      '#000001',
      'keyword',
      'storage',
      'entity.name.function.call.shell',
      'entity.name.command',
      'entity.name.tag',
      'support.type.property-name',
    ),
    rule('#000002', 'string', 'punctuation.definition.string', 'constant.other.option'),
    rule('#000003', 'constant.numeric', 'constant.language'),
    rule('#000004', 'comment', 'punctuation.definition.comment'),
    rule('#000001', 'string punctuation.definition.interpolation', 'support.type.property-name punctuation.definition.string'),
  ],
}

/** The parts of a syntax tree node (hast) that this transformer changes. */
interface Element {
  properties: Record<string, unknown>
}

export const classesForColours = {
  name: 'classes-for-colours',
  pre(node: Element): void {
    delete node.properties['style']
  },
  span(node: Element): void {
    const [, colour = ''] = /color:(#[0-9a-f]{6})/i.exec(String(node.properties['style'])) ?? []
    delete node.properties['style']
    const name = CLASSES[colour.toLowerCase() as keyof typeof CLASSES]
    if (name !== undefined) node.properties['class'] = name
  },
}
