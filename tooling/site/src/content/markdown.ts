import { join } from "node:path"
import MarkdownIt from "markdown-it"
import { type Page, relativeUrl, type Site } from "../Site.ts"
import { escapeHtml } from "./escape.ts"
import { anchorOf } from "./headings.ts"
import { codeBlock } from "./highlight.ts"
import type { Links } from "./Links.ts"
import { sizeOf } from "./picture.ts"

export const permalink = (anchor: string): string =>
  `<a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to this section">#</a>`

/** The start of a table that scrolls inside itself when it is wider than the page. */
export const tableStart = '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
export const tableEnd = "</table></div>\n"

const addHeadings = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push("anchors", ({ tokens }) => {
    const taken = new Map<string, number>()
    for (const [index, token] of tokens.entries()) {
      if (token.type === "heading_open") token.attrSet("id", anchorOf(tokens[index + 1]?.content ?? "", taken))
    }
  })
  markdown.renderer.rules.heading_close = (tokens, index) => {
    const tag = tokens[index]?.tag
    return `${tag === "h1" ? "" : permalink(tokens[index - 2]?.attrGet("id") ?? "")}</${tag}>\n`
  }
}

/** A wider picture has words that are too small on a narrow screen. */
const WIDE = 700

/** Code of this length fits on one line of a narrow screen. */
const LONGEST_WHOLE = 30

const addBlocks = ({ renderer: { rules } }: MarkdownIt): void => {
  rules.fence = (tokens, index) => {
    const token = tokens[index]
    return codeBlock(token?.content ?? "", token?.info.trim().split(" ")[0] ?? "")
  }
  // Browsers break lines after a hyphen, also in `--flag`.
  rules.code_inline = (tokens, index) => {
    const code = tokens[index]?.content ?? ""
    return `<code${code.length <= LONGEST_WHOLE ? ' class="whole"' : ""}>${escapeHtml(code)}</code>`
  }
  rules.code_block = (tokens, index) => codeBlock(tokens[index]?.content ?? "", "")
  rules.table_open = () => tableStart
  rules.table_close = () => tableEnd
}

/** The text of a link that is only the name of a file: the site shows the title of that page instead. */
const FILE_NAME = /^[\w-]+\.md$/

const ADDRESS = /\b(href|src|srcset)="([^"]*)"/g

const addLinks = ({ renderer: { rules } }: MarkdownIt, site: Site, links: Links, pageOf: PageOf): void => {
  rules.link_open = (tokens, index, options, env, renderer) => {
    const token = tokens[index]
    const href = token?.attrGet("href") ?? ""
    const text = tokens[index + 1]
    token?.attrSet("href", links.resolve(href, pageOf(env)))
    if (text?.type === "text" && FILE_NAME.test(text.content))
      text.content = links.titleOf(href, pageOf(env)) ?? text.content
    return renderer.renderToken(tokens, index, options)
  }
  rules.image = (tokens, index, options, env, renderer) => {
    const token = tokens[index]
    if (token === undefined) return ""
    const page = pageOf(env)
    const src = links.resolve(token.attrGet("src") ?? "", page)
    const file = [...links.pictures].find(([url]) => relativeUrl(page.url, url) === src)?.[1]
    const [width, height] = (file === undefined ? undefined : sizeOf(join(site.root, file))) ?? []
    token.attrSet("src", src)
    token.attrSet("alt", renderer.renderInlineAsText(token.children ?? [], options, env))
    if (width !== undefined) token.attrSet("width", String(width))
    if (height !== undefined) token.attrSet("height", String(height))
    if (width !== undefined && width > WIDE) token.attrSet("class", "wide")
    return `<span class="picture" tabindex="0" role="region" aria-label="Picture">${renderer.renderToken(tokens, index, options)}</span>`
  }
  rules.html_block = (tokens, index, _options, env) =>
    (tokens[index]?.content ?? "")
      .replaceAll(/<!--[\s\S]*?-->\n?/g, "")
      .replaceAll(ADDRESS, (_, name: string, href: string) => `${name}="${links.resolve(href, pageOf(env))}"`)
  rules.html_inline = rules.html_block
}

/** Finds the page of the environment in which markdown-it renders a text. */
type PageOf = (env: unknown) => Page

/** Makes the Markdown of the site: GitHub's anchors, links of the site, blocks and tables that scroll. */
export const makeMarkdown = (site: Site, links: Links, pageOf: PageOf): MarkdownIt => {
  const markdown = new MarkdownIt({ html: true })
  addHeadings(markdown)
  addBlocks(markdown)
  addLinks(markdown, site, links, pageOf)
  return markdown
}
