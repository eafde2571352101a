import { escapeHtml } from "../content/escape.ts"
import type { Page, Site } from "../Site.ts"

/** Sections of the site that the home page leads to, with what a reader finds there. */
const doors: ReadonlyArray<readonly [title: string, text: string]> = [
  ["Concepts", "What a node, its kubelet and the control plane do to each other, one page a subject."],
  ["How to", "Run a cluster, break it, and plan what you do to a real one."],
  ["Incidents", "Surprises that operators reported, each rehearsed."],
  ["Reference", "Flags, scenario fields, kinds and packages, made from the code."]
]

const doorTo = (site: Site, [title, text]: readonly [string, string]): string => {
  const first: Page | undefined = site.groups.find((group) => group.title === title)?.pages[0]
  if (first === undefined)
    throw new Error(`navigation.ts: found no section ${title} with pages, which the home page leads to`)
  return `<a href="${escapeHtml(first.url)}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(text)}</span></a>`
}

/** Returns the home page: the README, with links to the sections after its first paragraph. */
export const homeOf = (site: Site, readme: string): string => {
  const end = readme.indexOf("</p>") + "</p>".length
  // The first sentence is the lead.
  const top = readme.slice(0, end).replace(/(<p>[^.]*\.)\s+/, "$1</p>\n<p>")
  const cards = `<nav class="doors" aria-label="Sections">${doors.map((door) => doorTo(site, door)).join("")}</nav>`
  return `<div class="hero">${top}\n${cards}</div>${readme.slice(end)}`
}
