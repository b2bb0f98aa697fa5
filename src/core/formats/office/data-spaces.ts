/** The \x06DataSpaces storage of an encrypted document ([MS-OFFCRYPTO] 2.1, 2.3.4.1–3). It is the same in every file. */

import { concat } from '../../bytes/concat.ts'
import { utf16Bytes } from '../../bytes/utf16.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { CfbNode } from '../../containers/cfb/directory-tree.ts'

const number = (value: number): Uint8Array => new ByteWriter(new Uint8Array(4), true).u32(value).finish()

/** UNICODE-LP-P4 string ([MS-OFFCRYPTO] 2.1.2): length in bytes, UTF-16, padded to a multiple of four bytes. */
const text = (value: string): Uint8Array => {
  const bytes = new Uint8Array(4 + Math.ceil((2 * value.length) / 4) * 4)
  return new ByteWriter(bytes, true)
    .u32(2 * value.length)
    .bytes(utf16Bytes(value))
    .finish()
}

/** Reader, updater and writer version 1.0 ([MS-OFFCRYPTO] 2.1.5). */
const VERSIONS = concat([number(1), number(1), number(1)])

const counted = (parts: readonly Uint8Array[]): Uint8Array => {
  const body = concat(parts)
  return concat([number(4 + body.length), body])
}

/** DataSpaceMap ([MS-OFFCRYPTO] 2.1.6): maps the stream EncryptedPackage to the data space StrongEncryptionDataSpace. */
const MAP = concat([number(8), number(1), counted([number(1), number(0), text('EncryptedPackage'), text('StrongEncryptionDataSpace')])])

/** TransformInfoHeader ([MS-OFFCRYPTO] 2.1.8) and EncryptionTransformInfo (2.1.9) of the agile transform. */
const TRANSFORM_TYPE = concat([number(1), text('{FF9A3F03-56EF-4613-BDD5-5A41C1D07246}')])
const PRIMARY = concat([
  number(4 + TRANSFORM_TYPE.length),
  TRANSFORM_TYPE,
  text('Microsoft.Container.EncryptionTransform'),
  VERSIONS,
  number(0), // field EncryptionName: empty for agile encryption
  number(0), // field EncryptionBlockSize: 0
  number(0), // field CipherMode: 0
  number(4), // reserved field: 4
])

export const DATA_SPACES: CfbNode = {
  name: '\x06DataSpaces',
  children: [
    { name: 'Version', content: concat([text('Microsoft.Container.DataSpaces'), VERSIONS]) },
    { name: 'DataSpaceMap', content: MAP },
    {
      name: 'DataSpaceInfo',
      children: [{ name: 'StrongEncryptionDataSpace', content: concat([number(8), number(1), text('StrongEncryptionTransform')]) }],
    },
    {
      name: 'TransformInfo',
      children: [{ name: 'StrongEncryptionTransform', children: [{ name: '\x06Primary', content: PRIMARY }] }],
    },
  ],
}
