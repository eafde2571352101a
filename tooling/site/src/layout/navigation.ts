import { breakable, escapeHtml } from "../content/escape.ts"
import { type Group, type Page, relativeUrl, type Site } from "../Site.ts"

const linkTo = (current: Page, page: Page): string => {
  const here = page === current ? ' aria-current="page"' : ""
  return `<li><a href="${escapeHtml(relativeUrl(current.url, page.url))}"${here}>${breakable(page.label)}</a></li>`
}

const contains = (group: Group, page: Page): boolean =>
  group.pages.includes(page) || group.groups.some((below) => contains(below, page))

const listOf = (current: Page, { groups, pages }: Group): string =>
  `<ul>${pages.map((page) => linkTo(current, page)).join("")}${groups
    .map((group) => `<li>${groupOf(current, group)}</li>`)
    .join("")}</ul>`

const groupOf = (current: Page, group: Group): string => {
  const open = !group.folded || contains(group, current) ? " open" : ""
  return `<details${open}><summary>${escapeHtml(group.title)}</summary>${listOf(current, group)}</details>`
}

/** Returns the links to all pages of the site. */
export const navigationOf = (site: Site, current: Page): string =>
  site.groups.map((group) => groupOf(current, group)).join("\n")

/** Returns the links to the pages before and after a page. */
export const neighboursOf = (site: Site, current: Page): string => {
  const at = site.pages.indexOf(current)
  const [before, after] = [site.pages[at - 1], site.pages[at + 1]]
  const link = (page: Page | undefined, rel: string, word: string) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${escapeHtml(relativeUrl(current.url, page.url))}"><small>${word}</small>${breakable(page.label)}</a>`
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(before, "prev", "Previous")}${link(after, "next", "Next")}</nav>`
}
