import { textOf } from "./escape.ts"

/** Returns GitHub's anchor of a heading. Headings of the same text get -1, -2 and so on, which `taken` counts. */
export const anchorOf = (heading: string, taken: Map<string, number>): string => {
  const anchor = heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")
  const count = taken.get(anchor) ?? 0
  taken.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

export interface Heading {
  readonly level: number
  readonly anchor: string
  readonly text: string
}

const HEADING = /<h([1-3])[^>]*? id="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/g
const PERMALINK = /<a class="anchor"[\s\S]*?<\/a>/g

/** Returns the headings of a page down to the third level. */
export const headingsOf = (html: string): ReadonlyArray<Heading> =>
  [...html.matchAll(HEADING)].map(([, level, anchor = "", content = ""]) => ({
    level: Number(level),
    anchor,
    text: textOf(content.replaceAll(PERMALINK, ""))
  }))

/** Returns the first sentence of a page's first paragraph. */
export const descriptionOf = (html: string): string => {
  const paragraph = textOf(/<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? "")
  return /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph
}
