/** Tests texts for which parsing could become quadratic: the work must be linear in their length. */
import { describe, expect, test } from 'vitest'
import { piecesOf } from '../../../src/core/formats/svg/markup.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import type { Outcome } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'
import { countWork } from '../../support/work.ts'

/**
 * Maximum JavaScript code blocks executed per character (`MOST_WORK_PER_CHARACTER`), plus a constant per file (`FIXED_WORK`). Before
 * parsing was linear, each test file took a minute to years.
 */
const MOST_WORK_PER_CHARACTER = 100
const FIXED_WORK = 1_000_000

async function pack(text: string) {
  const bytes = new TextEncoder().encode(text)
  let outcome: Outcome | undefined
  const work = await countWork(async () => {
    ;({ outcome } = await openJob(svg, memorySource(bytes, 'a.svg'), {}).whole(async () => memorySink(bytes.length, 'a.svg')))
  })
  return { outcome, perCharacter: (work - FIXED_WORK) / text.length }
}

const open = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'

describe('the work is linear in the length of the text', () => {
  test.each([
    ['unterminated comments', `${open}${'<!--'.repeat(150_000)}`, 'malformed'],
    ['comment starts in a CDATA section', `${open}<desc><![CDATA[${'<!--'.repeat(120_000)}]]></desc></svg>`, undefined],
    ['unterminated CDATA sections', `${open}${'<![CDATA['.repeat(60_000)}`, 'malformed'],
    ['empty texts before a long path', `${open}${'<text/>'.repeat(6_000)}<path d="M0 0${'h1'.repeat(70_000)}"/></svg>`, undefined],
    ['empty definitions before a long path', `${open}${'<defs/>'.repeat(6_000)}<path d="M0 0${'h1'.repeat(70_000)}"/></svg>`, undefined],
    ['unterminated URLs in a style sheet', `${open}<style>${'url(x'.repeat(40_000)}</style><path d="M0 0h9v9z"/></svg>`, undefined],
    ['digits in an invalid transform', `${open}<path transform="matrix(${'1'.repeat(200_000)}x)" d="M0 0h9v9z"/></svg>`, undefined],
    ['a long id that almost looks generated', `${open}<path id="path${'1'.repeat(200_000)}!" d="M0 0h9v9z"/></svg>`, undefined],
    ['unterminated DOCTYPEs', `${'<!DOCTYPE svg ['.repeat(35_000)}${open}</svg>`, 'malformed'],
    [
      'forty comments before a root with a prefix',
      `${'<!--a-->'.repeat(40)}<x:svg xmlns:x="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>`,
      undefined,
    ],
    [
      '200,000 attributes of one element',
      `${open}<g ${Array.from({ length: 200_000 }, (_, i) => `a${i}="x"`).join(' ')}/></svg>`,
      'over_budget',
    ],
    [
      '20,000 attributes of one element',
      `${open}<g ${Array.from({ length: 20_000 }, (_, i) => `a${i}="x"`).join(' ')}/></svg>`,
      'over_budget',
    ],
  ])(
    '%s',
    async (_, text, reason) => {
      const { outcome, perCharacter } = await pack(text)
      expect(perCharacter).toBeLessThan(MOST_WORK_PER_CHARACTER)
      if (reason) expect(outcome).toMatchObject({ kind: 'unchanged', reason })
    },
    60_000,
  )

  test('every character belongs to exactly one piece, and an unterminated piece extends to the end', () => {
    for (const text of ['<!--<!--<!--', '<![CDATA[<![CDATA[', '<a b="c', '<?x <?x', '<!DOCTYPE [ <', '<!---->x<a/>y</a><']) {
      const pieces = [...piecesOf(text)]
      expect(pieces.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
    }
    expect([...piecesOf('<!--'.repeat(1000))]).toHaveLength(1)
  })
})
