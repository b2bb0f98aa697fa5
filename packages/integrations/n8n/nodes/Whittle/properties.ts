/** Form fields of the n8n node. */
import type { INodeProperties } from 'n8n-workflow'

/** Shows a field for some operations only. */
const only = (...operation: string[]) => ({ show: { operation } })

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  default: 'compress',
  options: [
    { name: 'Compress File', value: 'compress', action: 'Compress a file', description: 'The file of the item' },
    {
      name: 'Compress Object',
      value: 'compressObject',
      action: 'Compress an object of a bucket',
      description: 'The service reads it by a connection of the account',
    },
    { name: 'Get Sync', value: 'getSync', action: 'Get a sync', description: 'State and figures of a sync' },
    {
      name: 'Start Sync',
      value: 'startSync',
      action: 'Start a sync',
      description: 'The service compresses all objects of a bucket that begin with a prefix, into another bucket or prefix',
    },
  ],
}

/** Fields that name places in buckets. Connections are saved in the service, so that n8n holds no credentials of buckets. */
const places: INodeProperties[] = [
  {
    displayName: 'Source Connection',
    name: 'sourceConnection',
    type: 'string',
    default: '',
    required: true,
    displayOptions: only('compressObject', 'startSync'),
    description: 'Name of a bucket connection of the account',
  },
  {
    displayName: 'Source Key',
    name: 'sourceKey',
    type: 'string',
    default: '',
    required: true,
    displayOptions: only('compressObject'),
    description: 'Key of the object',
  },
  {
    displayName: 'Source Prefix',
    name: 'sourcePrefix',
    type: 'string',
    default: '',
    displayOptions: only('startSync'),
    description: 'Beginning of the keys, such as photos/. Empty: the whole bucket',
  },
  {
    displayName: 'Destination Connection',
    name: 'destinationConnection',
    type: 'string',
    default: '',
    required: true,
    displayOptions: only('startSync'),
    description: 'Name of a bucket connection of the account',
  },
  {
    displayName: 'Destination Prefix',
    name: 'destinationPrefix',
    type: 'string',
    default: '',
    displayOptions: only('startSync'),
    description: 'Beginning of the keys of the results',
  },
]

const sync: INodeProperties[] = [
  {
    displayName: 'Dry Run',
    name: 'dryRun',
    type: 'boolean',
    default: true,
    displayOptions: only('startSync'),
    description:
      'Whether the sync only lists and estimates. Otherwise it compresses, and replaces objects of the same keys at the destination',
  },
  {
    displayName: 'Sync ID',
    name: 'syncId',
    type: 'string',
    default: '',
    required: true,
    displayOptions: only('getSync'),
  },
]

const effort: INodeProperties = {
  displayName: 'Effort',
  name: 'effort',
  type: 'options',
  default: 'balanced',
  options: [
    { name: 'Balanced', value: 'balanced' },
    { name: 'Best', value: 'best' },
    { name: 'Fast', value: 'fast' },
  ],
  description: 'How long to search for a small result',
}

export const properties: INodeProperties[] = [
  operation,
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    displayOptions: only('compress'),
    hint: 'Name of the input field that contains the file',
  },
  {
    displayName: 'Put Output File in Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    displayOptions: only('compressObject'),
    hint: 'Name of the output field for the result. Not used if a destination is set',
  },
  ...places,
  ...sync,
  {
    displayName: 'Quality',
    name: 'quality',
    type: 'options',
    default: 'medium',
    displayOptions: only('compress', 'compressObject', 'startSync'),
    description: 'Quality of the result',
    options: [
      { name: 'Low', value: 'low', description: 'The smallest file' },
      { name: 'Medium', value: 'medium' },
      { name: 'High', value: 'high', description: 'The most faithful file' },
      { name: 'Ultra', value: 'ultra', description: 'Only for DOCX, XLSX, PPTX and OFD' },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: only('compress', 'compressObject'),
    options: [
      {
        displayName: 'Format',
        name: 'format',
        type: 'string',
        default: '',
        description: 'Output format, if the input format supports it: webp, avif, gz, …',
      },
      {
        displayName: 'Password',
        name: 'password',
        type: 'string',
        typeOptions: { password: true },
        default: '',
        description: 'Encrypts the result',
      },
      { displayName: 'Target Size', name: 'targetSize', type: 'number', default: 0, description: 'Maximum size of the result in bytes' },
      {
        displayName: 'Maximum Width',
        name: 'maxWidth',
        type: 'number',
        default: 0,
        description: 'Wider pictures are reduced to this width',
      },
      {
        displayName: 'Maximum Height',
        name: 'maxHeight',
        type: 'number',
        default: 0,
        description: 'Higher pictures are reduced to this height',
      },
      effort,
      { displayName: 'DPI', name: 'dpi', type: 'number', default: 0, description: 'Pictures of documents are reduced to this resolution' },
      {
        displayName: 'Destination Connection',
        name: 'destinationConnection',
        type: 'string',
        default: '',
        description: 'Name of a bucket connection of the account. The service sends the result there, and the item has no file',
      },
      {
        displayName: 'Destination Prefix',
        name: 'destinationPrefix',
        type: 'string',
        default: '',
        description: 'Beginning of the key in that bucket, such as small/. The name of the result follows',
      },
    ],
  },
  {
    displayName: 'Options',
    name: 'syncOptions',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: only('startSync'),
    options: [
      {
        displayName: 'Format',
        name: 'format',
        type: 'string',
        default: '',
        description: 'Output format of files that can have it: webp, avif, gz, …',
      },
      effort,
    ],
  },
]
