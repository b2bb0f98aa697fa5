/** Namespaces of drawing programs. Metadata (RDF, Dublin Core, Creative Commons licences) is not included. */
const EDITORS =
  /^http:\/\/(?:(?:inkscape|sodipodi)\.sourceforge\.net\/DTD\/sodipodi-0\.dtd|www\.inkscape\.org\/namespaces\/inkscape|krita\.org\/namespaces\/svg\/krita|ns\.adobe\.com\/(?:AdobeIllustrator\/10\.0|AdobeSVGViewerExtensions\/3\.0|Extensibility\/1\.0|Flows\/1\.0|GenericCustomNamespace\/1\.0|Graphs\/1\.0|ImageReplacement\/1\.0|SaveForWeb\/1\.0|Variables\/1\.0|XPath\/1\.0)\/|schemas\.microsoft\.com\/visio\/2003\/SVGExtensions\/|taptrix\.com\/vectorillustrator\/svg_extensions|www\.bohemiancoding\.com\/sketch\/ns|www\.figma\.com\/figma\/ns|www\.serif\.com\/|www\.vector\.evaxdesign\.sk)$|^https:\/\/boxy-svg\.com$/

/** True if only drawing programs use the elements and attributes of a namespace. */
export const isEditorNamespace = (namespace: string): boolean => EDITORS.test(namespace)
