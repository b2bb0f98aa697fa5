/** Name and version of the XML parser of the inventory readers, for receipts. A test compares the version with the installed package. */
export const XML_LIBRARY = 'saxes 6.0.0'
