const ADDRESS = /<(?:a|link|img|script|source)\b[^>]*?\s(?:href|src|srcset)="([^"]*)"/g
const ID = /<[a-z][^>]*?\sid="([^"]*)"/g
const LOADED = /<(?:link|img|script|source|iframe)\b[^>]*>/g

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Returns the addresses that a page links to or loads, each once. */
export const addressesOf = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(ADDRESS)].map(([, address = ""]) => unescaped(address)))
]

/** Returns the anchors of a page in its order. */
export const anchorsOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(ID)].map(([, id = ""]) => unescaped(id))

/** Returns the tags of a page that load something from another host. */
export const loadedFromElsewhere = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(LOADED)].map(([tag]) => tag).filter((tag) => /(?:href|src|srcset)="(?:[a-z]+:)?\/\//.test(tag))

/** Returns a page's text, with single spaces. */
export const textOf = (html: string): string =>
  unescaped(
    html
      .replaceAll(/<(?:script|style)[\s\S]*?<\/(?:script|style)>/g, "")
      .replaceAll(/<wbr>/g, "")
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
  )
