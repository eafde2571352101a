import MarkdownIt from "markdown-it"
import { breakable, escapeHtml } from "../content/escape.ts"
import { permalink, tableEnd, tableStart } from "../content/markdown.ts"
import type { Group, Page } from "../Site.ts"

/** Texts from code are Markdown without HTML: a `<name>` in them is a placeholder. */
const markdown = new MarkdownIt({ html: false })

/** Returns a short text from code as HTML. */
export const inline = (text: string): string => markdown.renderInline(text)

/** Returns a text of paragraphs from code as HTML. */
export const block = (text: string): string => markdown.render(text)

export const code = (text: string): string =>
  text === "" ? "" : `<code${text.length <= 30 ? ' class="whole"' : ""}>${escapeHtml(text)}</code>`

/** Returns a heading with an anchor. `content` is HTML. */
export const heading = (level: 2 | 3 | 4, anchor: string, content: string): string =>
  `<h${level} id="${escapeHtml(anchor)}">${content}${permalink(anchor)}</h${level}>\n`

/** A flag, a field or a setting. */
export interface Entry {
  readonly anchor: string
  readonly name: string
  readonly required?: boolean | undefined
  /** HTML. */
  readonly type?: string
  /** The default as text; empty if there is none. */
  readonly initial?: string
  /** HTML. */
  readonly description: string
}

const entryHtml = ({ anchor, description, initial = "", name, required = false, type = "" }: Entry): string => {
  const id = escapeHtml(anchor)
  const facts = [
    type === "" ? "" : `<span class="type">${type}</span>`,
    required ? tag("required") : "",
    initial === "" ? "" : `<span class="initial">default <code>${escapeHtml(initial)}</code></span>`
  ].filter((fact) => fact !== "")
  const line = facts.length === 0 ? "" : `<span class="facts">${facts.join(" ")}</span>`
  return `<div id="${id}"><dt><code>${breakable(name)}</code>${permalink(anchor)}${line}</dt><dd>${description}</dd></div>`
}

/** Returns a list of names with what they mean. */
export const entries = (list: ReadonlyArray<Entry>): string =>
  `<dl class="entries">${list.map(entryHtml).join("\n")}</dl>\n`

/** Returns a table. The cells are texts. */
export const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("")
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`)
  return `${tableStart}<thead><tr>${head}</tr></thead><tbody>${body.join("\n")}</tbody>${tableEnd}`
}

/** Returns a short mark behind a name. */
const tag = (text: string): string => `<span class="tag">${escapeHtml(text)}</span>`

/** Returns a page of the reference. `source` is the file of the repository that it is about. */
export const referencePage = (url: string, label: string, title: string, body: string, source?: string): Page => ({
  url: `reference/${url}.html`,
  label,
  source,
  body: `<h1 id="top">${title}</h1>\n${body}`
})

export const referenceGroup = (title: string, pages: ReadonlyArray<Page>): Group => ({
  title,
  folded: true,
  pages,
  groups: []
})
