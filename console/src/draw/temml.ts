// Temml, which reads TeX and makes nodes of MathML: its own tree becomes nodes by createElementNS, and no text
// becomes HTML. What would lead out of the page (links, images, styles) is not trusted, and so is an error.
import temml from 'temml';

export function render(tex: string, display: boolean): Node {
  const options = { displayMode: display, throwOnError: true, trust: false, strict: false, maxExpand: 500, maxSize: [20, 20] as [number, number] };
  return temml.__renderToMathMLTree(tex, options).toNode();
}
