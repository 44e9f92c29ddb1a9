/** The characters that HTML writes as `&name;` or `&#number;`. The names are those that pages use; an unknown one stays as it is. */

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ...pairs("ensp emsp thinsp zwnj zwj lrm rlm shy", ["\u2002", "\u2003", "\u2009", "", "", "", "", ""]),
  ...pairs("ndash mdash lsquo rsquo sbquo ldquo rdquo bdquo lsaquo rsaquo laquo raquo", [..."–—‘’‚“”„‹›«»"]),
  ...pairs("hellip bull middot prime Prime dagger Dagger permil sect para", [..."…•·′″†‡‰§¶"]),
  ...pairs("copy reg trade deg micro plusmn times divide minus frac12 frac14 frac34", [..."©®™°µ±×÷−½¼¾"]),
  ...pairs("cent pound yen euro curren iexcl iquest brvbar uml acute cedil macr not ordf ordm", [..."¢£¥€¤¡¿¦¨´¸¯¬ªº"]),
  ...pairs("sup1 sup2 sup3 larr rarr uarr darr harr lArr rArr hArr crarr", [..."¹²³←→↑↓↔⇐⇒⇔↵"]),
  ...pairs("infin ne le ge asymp equiv sum prod int part nabla radic prop isin notin ni", [..."∞≠≤≥≈≡∑∏∫∂∇√∝∈∉∋"]),
  ...pairs("cap cup sub sup sube supe forall exist empty and or oplus otimes perp sim", [..."∩∪⊂⊃⊆⊇∀∃∅∧∨⊕⊗⊥∼"]),
  ...pairs("Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml", [..."ÀÁÂÃÄÅÆÇÈÉÊË"]),
  ...pairs("Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml Oslash", [..."ÌÍÎÏÐÑÒÓÔÕÖØ"]),
  ...pairs("Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml", [..."ÙÚÛÜÝÞßàáâãä"]),
  ...pairs("aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth", [..."åæçèéêëìíîïð"]),
  ...pairs("ntilde ograve oacute ocirc otilde ouml oslash ugrave uacute ucirc uuml yacute", [..."ñòóôõöøùúûüý"]),
  ...pairs("thorn yuml OElig oelig Scaron scaron Yuml fnof circ tilde", [..."þÿŒœŠšŸƒˆ˜"]),
  ...pairs("Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu", [..."ΑΒΓΔΕΖΗΘΙΚΛΜ"]),
  ...pairs("Nu Xi Omicron Pi Rho Sigma Tau Upsilon Phi Chi Psi Omega", [..."ΝΞΟΠΡΣΤΥΦΧΨΩ"]),
  ...pairs("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu", [..."αβγδεζηθικλμ"]),
  ...pairs("nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega", [..."νξοπρςστυφχψω"]),
  ...pairs("lbrace rbrace lbrack rbrack lpar rpar num dollar percnt ast plus comma period", [..."{}[]()#$%*+,."]),
  ...pairs("sol colon semi equals quest commat bsol Hat lowbar grave vert excl", [..."/:;=?@\\^_`|!"]),
  ...pairs("check cross star starf phone hearts spades clubs diams loz", [..."✓✗☆★☎♥♠♣♦◊"]),
  Tab: "\t",
  NewLine: "\n",
}

function pairs(names: string, characters: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name, index) => [name, characters[index] ?? ""]))
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,31}));/g

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text
  return text.replace(ENTITY, (whole, decimal: string, hexadecimal: string, name: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole
    return characterOf(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal))
  })
}

/** Controls and halves of characters are no text. */
function characterOf(code: number): string {
  if (code === 9 || code === 10 || code === 13) return String.fromCharCode(code)
  if (code === 0xa0) return " "
  const isCharacter = code >= 0x20 && code <= 0x10ffff && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : "\uFFFD"
}
