import { breakable, escapeHtml } from "../content/escape.ts"
import { descriptionOf, type Heading, headingsOf } from "../content/headings.ts"
import { type Page, relativeUrl, type Site } from "../Site.ts"
import { navigationOf, neighboursOf } from "./navigation.ts"

/** Applies the reader's choice of light or dark before the first paint. */
const THEME =
  'const theme=localStorage.getItem("theme");if(theme==="light"||theme==="dark")document.documentElement.dataset.theme=theme'

const MENU = '<path d="M3 6h18M3 12h18M3 18h18"/>'
const SEARCH = '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>'
const SHADE = '<circle cx="12" cy="12" r="8"/><path d="M12 4v16a8 8 0 0 0 0-16z" fill="currentColor"/>'
const CODE = '<path d="m8 7-5 5 5 5M16 7l5 5-5 5"/>'

const icon = (shape: string): string =>
  `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">${shape}</svg>`

const contentsOf = (headings: ReadonlyArray<Heading>): string => {
  const listed = headings.filter(({ level }) => level === 2 || level === 3)
  if (listed.length < 2) return ""
  const items = listed.map(
    ({ anchor, level, text }) => `<li class="h${level}"><a href="#${escapeHtml(anchor)}">${breakable(text)}</a></li>`
  )
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`
}

const headOf = (page: Page, title: string, description: string): string => {
  const to = (url: string) => escapeHtml(relativeUrl(page.url, url))
  return `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${to("assets/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("assets/style.css")}">
<script>${THEME}</script>
<script type="module" src="${to("assets/site.js")}"></script>
</head>`
}

const headerOf = (site: Site, page: Page): string => `<header class="bar">
<button class="icon menu" type="button" aria-expanded="false" aria-controls="navigation" aria-label="Navigation">${icon(MENU)}</button>
<a class="brand" href="${escapeHtml(relativeUrl(page.url, "index.html"))}"><img src="${escapeHtml(relativeUrl(page.url, "assets/icon.svg"))}" alt="" width="26" height="26">Rollcall</a>
<button class="search" type="button">${icon(SEARCH)}<span>Search</span><kbd>/</kbd></button>
<button class="icon theme" type="button" aria-label="Light or dark">${icon(SHADE)}</button>
<a class="icon" href="${escapeHtml(site.repository)}" aria-label="Repository">${icon(CODE)}</a>
</header>`

/** Returns the address of a page's source at the host of the repository. */
const sourceLink = (site: Site, { source }: Page): string =>
  source === undefined
    ? ""
    : `<p class="source"><a href="${escapeHtml(`${site.repository}/blob/main/${source}`)}">Source of this page</a></p>`

/** Returns a page of the site around its content. */
export const pageOf = (site: Site, page: Page, content: string): string => {
  const headings = headingsOf(content)
  const name = headings.find(({ level }) => level === 1)?.text ?? page.label
  const title = page.url === "index.html" ? "Rollcall" : `${name} · Rollcall`
  return `<!doctype html>
<html lang="en">
${headOf(page, title, descriptionOf(content))}
<body data-root="${escapeHtml(relativeUrl(page.url, "assets/..").replace(/\/?$/, "/"))}">
<a class="skip" href="#main">Skip to the content</a>
${headerOf(site, page)}
<div class="frame">
<nav class="navigation" id="navigation" aria-label="Pages" data-pagefind-ignore>
${navigationOf(site, page)}
</nav>
<main id="main" tabindex="-1">
<article data-pagefind-body${page.url === "index.html" ? ' class="home"' : ""}>
${content}
</article>
${sourceLink(site, page)}
${neighboursOf(site, page)}
</main>
${contentsOf(headings)}
</div>
</body>
</html>
`
}
