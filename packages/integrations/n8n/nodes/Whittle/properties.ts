/** Form fields of the n8n node. */
import type { INodeProperties } from 'n8n-workflow'

export const properties: INodeProperties[] = [
  {
    displayName: 'Input Binary Field',
    name: 'binaryPropertyName',
    type: 'string',
    default: 'data',
    required: true,
    hint: 'Name of the input field that contains the file',
  },
  {
    displayName: 'Quality',
    name: 'quality',
    type: 'options',
    default: 'medium',
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
      {
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
      },
      { displayName: 'DPI', name: 'dpi', type: 'number', default: 0, description: 'Pictures of documents are reduced to this resolution' },
    ],
  },
]
