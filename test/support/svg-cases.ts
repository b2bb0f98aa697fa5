/** SVG files with features that are easily lost and that a single static rendering does not show, by name of the feature. */

const drawing = (inside: string, before = '') =>
  `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="240" height="120" viewBox="0 0 240 120">
  <!-- drawn by hand -->
  ${inside}
</svg>`

const rect = (x: number, more = '') => `<rect x="${x}.0000" y="10.0000" width="40.0000" height="40.0000" ${more}/>`
const zigzag = (x: number, y: number) =>
  `M ${x}.0000 ${y}.0000 ${Array.from({ length: 12 }, (_, i) => `L ${(x + 5.1234 * i).toFixed(4)} ${(y + (i % 2 ? 7.4321 : -3.2123)).toFixed(4)}`).join(' ')}`
const DOT = '<marker id="dot" markerWidth="4" markerHeight="4" refX="2" refY="2"><circle cx="2.000" cy="2.000" r="2.000"/></marker>'
const corners = (y: number, more = '') => `<path ${more} d="M 10.000 ${y}.000 h 20.000 h 30.000 h 40.000" fill="none" stroke="#000000"/>`
const EDITORS =
  'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"'

/** Content of `theme.css`, which some of the cases refer to. */
export const OUTSIDE_SHEET =
  'rect { stroke: teal; stroke-width: 4 } #door { fill: orange } .dot { fill: purple } g > g > polygon { fill: red }'

export const svgCases = (): Readonly<Record<string, string>> => ({
  'dark-mode': drawing(`<style>
    /* colours */
    .ink { fill: #111111; }
    @media (prefers-color-scheme: dark) { .ink { fill: #eeeeee; } }
  </style><path class="ink" d="${zigzag(20, 60)}"/>`),
  'hover-and-print': drawing(`<style>
    rect { fill: #111111; transition: fill 0.3s; }
    svg:hover rect { fill: #ff0000; }
    @media print { rect { fill: #ffffff; stroke: #000000; } }
    @supports (color: color(display-p3 1 0 0)) { rect { fill: color(display-p3 0.9 0.1 0.1); } }
    @container (min-width: 100px) { rect { stroke-width: 3; } }
    @layer base { rect { stroke: #00ff00; } }
  </style>${rect(8)}`),
  'media-attribute': drawing(`<style media="print">rect { fill: #ffffff; }</style><style>rect { fill: #123456; }</style>${rect(10)}`),
  'structural-selectors': drawing(
    `<style>rect:nth-child(2n) { fill: #ff0000; } g > rect:not(.x) { stroke: #000000; } rect:last-child { fill: #0000ff; }</style><g>${[10, 60, 110, 160].map((x) => rect(x)).join('')}</g>`,
  ),
  'outside-sheet': drawing(
    `${rect(10, 'id="door" class="bg" fill="#eeeeee"')}<circle class="dot" cx="70.000" cy="30.000" r="10.000"/><g><g><polygon points="100.000,10.000 140.000,10.000 120.000,40.000"/></g></g>`,
    '<?xml version="1.0"?>\n<?xml-stylesheet type="text/css" href="theme.css"?>\n',
  ),
  'imported-sheet': drawing(`<style>@import url("theme.css"); .dot { stroke: #000000; }</style>${rect(10, 'id="rect12"')}`),
  'linked-sheet': drawing(`<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="theme.css"/>${rect(10, 'id="rect12"')}`),
  'icons-by-id': drawing(
    ['home', 'user', 'mail', 'lock']
      .map(
        (name, i) => `<g id="icon-${name}" transform="translate(${i * 50}.000 0.000)"><path d="${zigzag(4, 20 + i)}" fill="#444444"/></g>`,
      )
      .join('\n'),
  ),
  'ids-of-seats': drawing(
    `<g id="B12">${rect(10, 'id="FR"')}${rect(60, 'id="seat-2"')}</g><path id="path1234" d="${zigzag(10, 80)}"/><g id="region-07">${rect(110)}</g>`,
  ),
  'event-handlers': drawing(
    `<g onmouseover="glow(evt)">${rect(10, 'id="rect22" fill-opacity="0"')}</g>${rect(60, `onclick="go('a  b')" fill="transparent"`)}`,
  ),
  markers: drawing(
    `<defs>${DOT}</defs>${corners(20, 'style="marker:url(#dot)"')}${corners(40, 'marker-mid="url(#dot)"')}<g marker-mid="url(#dot)">${corners(60)}<polyline points="10.000,80.000 30.000,80.000 60.000,80.000" stroke="#000000"/></g>`,
  ),
  'markers-by-class': drawing(`<style>.line { marker: url(#dot); }</style><defs>${DOT}</defs>${corners(20, 'class="line"')}`),
  'click-areas': drawing(
    `<g fill="none" pointer-events="all">${rect(10).replace('/>', '><title>North wing</title></rect>')}</g>
    <a href="a.html">${rect(60, 'fill-opacity="0"')}</a><a xlink:href="b.html">${rect(110, 'opacity="0"')}</a>
    <a href="c.html">${rect(160, 'visibility="hidden" pointer-events="all"')}</a>
    <a href="2.50"><path d="${zigzag(10, 90)}" stroke="#000000" stroke-opacity="0" stroke-width="9" fill="none"/></a>
    <path d="${zigzag(90, 90)}" style="fill:transparent"/><path d="${zigzag(170, 90)}" fill="none" style="pointer-events:bounding-box"/>`,
  ),
  'hidden-layers': `<svg xmlns="http://www.w3.org/2000/svg" ${EDITORS} width="240" height="120" viewBox="0 0 240 120">
  <sodipodi:namedview pagecolor="#ffffff" id="base"><sodipodi:guide id="guide77" position="1,1"/></sodipodi:namedview>
  <g inkscape:groupmode="layer" inkscape:label="Floor plan" id="layer1">${rect(10)}</g>
  <g inkscape:groupmode="layer" inkscape:label="Wiring" id="layer2" style="display:none"><path d="${zigzag(10, 60)}" stroke="#ff0000" fill="none"/></g>
  <g id="solution" visibility="hidden"><path d="${zigzag(90, 60)}"/></g>
</svg>`,
  licences: drawing(
    `<!-- Copyright 2020 Ada --><!-- SPDX-License-Identifier: MIT --><metadata id="metadata5"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><cc:Work rdf:about=""><dc:creator>Ada</dc:creator><cc:license rdf:resource="http://creativecommons.org/licenses/by/4.0/"/></cc:Work></rdf:RDF></metadata>${rect(10)}`,
  ).replace('<svg ', '<svg xmlns:cc="http://creativecommons.org/ns#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '),
  'data-and-labels': drawing(
    `<g data-series="" data-x="1.5000" aria-label="a  b" role="group" lang="de" tabindex="0">${rect(10, 'data-id="7"')}${rect(60)}</g><a href="2.50">${rect(110)}</a>`,
  ),
  'not-drawn-here': drawing(
    `<path style="clip-path:circle(20px at 30px 30px)" d="${zigzag(10, 20)}"/><path style="fill:var(--x,#ff00ff)" d="${zigzag(90, 20)}"/>
    <path transform-origin="center" transform="rotate(20)" d="${zigzag(10, 50)}"/><path pathLength="100" stroke-dasharray="5 5" stroke="#000000" fill="none" d="${zigzag(90, 50)}"/>
    <path style="transform:rotate(3deg)" d="${zigzag(10, 80)}"/><path fill="var(--Brand, #00ff00)" d="${zigzag(90, 80)}"/>`,
  ),
  'text-on-a-path': drawing(
    `<path id="route" fill="none" d="${zigzag(10, 60)}"/><text font-size="10.000"><textPath href="#route">along</textPath></text><text x="10.12345" y="99.98765">a <tspan>b</tspan> <a href="x.html"> c </a></text>`,
  ),
  'html-inside': drawing(
    `<foreignObject x="10.000" y="10.0000" width="200.0000" height="60.0000"><p xmlns="http://www.w3.org/1999/xhtml">Hello <b>bold</b> <i>it</i> !</p></foreignObject><path d="${zigzag(10, 90)}"/>`,
  ),
  languages: drawing(`<switch><g systemLanguage="de"><path d="${zigzag(10, 30)}"/></g><g><path d="${zigzag(10, 70)}"/></g></switch>`),
  'style-above-attributes': drawing(
    `<g style="fill:#ff0000"><path fill="#0000ff" d="${zigzag(10, 30)}"/></g><g style="fill:#ff0000"><path fill="#00ff00" d="${zigzag(90, 30)}"/><path fill="#00ff00" d="${zigzag(90, 60)}"/></g>`,
  ),
  'shown-in-the-dark': drawing(
    `<style>.d { display: none; } @media (prefers-color-scheme: dark) { .d { display: inline; } .l { display: none; } }</style><path class="d" d="${zigzag(10, 30)}"/><path class="l" d="${zigzag(10, 70)}"/>`,
  ),
})
