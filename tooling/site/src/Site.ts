import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { type Generated, navigation } from "./navigation.ts"

/** A page of the site: a Markdown file of the repository, or a body that the build makes. */
export interface Page {
  /** The path below the root of the site: `concepts/swap.html`. */
  readonly url: string
  /** The name in the navigation. */
  readonly label: string
  /** The path of the Markdown file below the root of the repository; of a made page, the file it is about, if there is one. */
  readonly source: string | undefined
  /** The HTML of a made page; undefined if the Markdown file is the page. */
  readonly body: string | undefined
  /** HTML after the page's own content. */
  readonly after?: string
}

/** Pages under one heading of the navigation. */
export interface Group {
  readonly title: string
  readonly folded: boolean
  readonly pages: ReadonlyArray<Page>
  readonly groups: ReadonlyArray<Group>
}

export interface Site {
  /** The root of the repository. */
  readonly root: string
  /** The address of the repository at its host. */
  readonly repository: string
  readonly groups: ReadonlyArray<Group>
  /** All pages, in the order of the navigation. */
  readonly pages: ReadonlyArray<Page>
  readonly byUrl: ReadonlyMap<string, Page>
  /** The pages by the file of the repository that they show. */
  readonly bySource: ReadonlyMap<string, Page>
}

/** Returns the path in the site of a Markdown file of the repository. */
export const urlOf = (source: string): string => {
  if (source === "README.md") return "index.html"
  if (source === "docs/README.md") return "contents.html"
  const path = source.replace(/^docs\//, "").replace(/\.md$/, "")
  return `${path.endsWith("/README") ? path.replace(/README$/, "index") : path.toLowerCase()}.html`
}

/** Returns the first heading of a Markdown text, without its markup. */
export const titleOf = (markdown: string): string | undefined => {
  const heading = /^# (.+)$/m.exec(markdown)?.[1]
  return heading?.replaceAll(/\[([^\]]*)\]\([^)]*\)|`/g, "$1").trim()
}

const pageOf = (root: string, source: string, given: string | undefined): Page => {
  const label = given ?? titleOf(readFileSync(join(root, source), "utf8"))
  if (label === undefined) throw new Error(`${source}: found no heading, expected a first line such as # Swap`)
  return { url: urlOf(source), label, source, body: undefined }
}

const pagesIn = ({ groups, pages }: Group): ReadonlyArray<Page> => [...pages, ...groups.flatMap(pagesIn)]

/** Returns the address of the repository at its host. */
export const repositoryOf = (root: string): string => {
  const { repository } = JSON.parse(readFileSync(join(root, "packages/api/package.json"), "utf8"))
  return String(repository.url).replace(/^git\+|\.git$/g, "")
}

/** Reads the navigation and the titles of its pages. */
export const readSite = (root: string, reference: Readonly<Record<Generated, Group>>): Site => {
  const groups = navigation.map(({ folded = false, generated = [], labels = {}, pages, title }) => ({
    title,
    folded,
    pages: pages.map((source) => pageOf(root, source, labels[source])),
    groups: generated.map((name) => reference[name])
  }))
  const pages = groups.flatMap(pagesIn)
  const withSource = pages.flatMap((page) => (page.source === undefined ? [] : [[page.source, page] as const]))
  return {
    root,
    repository: repositoryOf(root),
    groups,
    pages,
    byUrl: new Map(pages.map((page) => [page.url, page])),
    bySource: new Map(withSource)
  }
}

/** Returns the link from one page of the site to a path of it. */
export const relativeUrl = (from: string, to: string): string => posix.relative(posix.dirname(from), to) || to
