import { existsSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { type Page, relativeUrl, type Site } from "../Site.ts"

const PICTURE = /\.(?:png|svg|jpe?g|gif|webp)$/

const isElsewhere = (href: string): boolean => /^(?:[a-z]+:|#|\/\/)/i.test(href)

/** Returns the path in the repository that a link of a page names, and its anchor. */
const targetOf = (href: string, { source = "" }: Page): { readonly target: string; readonly anchor: string } => {
  const [path = "", ...anchors] = href.split("#")
  return {
    target: posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, ""),
    anchor: anchors.length === 0 ? "" : `#${anchors.join("#")}`
  }
}

/** Turns the links of the repository's pages into links of the site. */
export class Links {
  /** The pictures that pages show, by their paths in the site. */
  readonly pictures = new Map<string, string>()
  /** One message for each link to a file that does not exist. */
  readonly problems: Array<string> = []
  /** The hosts of links that lead elsewhere. */
  readonly hosts = new Set<string>()
  private readonly site: Site

  constructor(site: Site) {
    this.site = site
  }

  /**
   * Returns where a link in a file of the repository leads on `page`: to another page, to a picture, or to the file at the
   * host of the repository. Links to other hosts and within the page stay as they are.
   */
  resolve(href: string, page: Page): string {
    if (isElsewhere(href)) {
      const host = /^[a-z]+:\/\/([^/#?]+)/i.exec(href)?.[1]
      if (host !== undefined) this.hosts.add(host)
      return href
    }
    const { anchor, target } = targetOf(href, page)
    const shown = this.pageAt(target)
    if (shown !== undefined) return relativeUrl(page.url, shown.url) + anchor
    const file = join(this.site.root, target)
    if (target.startsWith("..") || !existsSync(file)) {
      this.problems.push(`${page.source}: ${href}: no such file`)
      return href
    }
    if (PICTURE.test(target)) return relativeUrl(page.url, this.pictureOf(target))
    return `${this.site.repository}/${statSync(file).isDirectory() ? "tree" : "blob"}/main/${target}${anchor}`
  }

  /** Returns the name of the page that a link leads to; undefined if it leads to none. */
  titleOf(href: string, page: Page): string | undefined {
    return isElsewhere(href) ? undefined : this.pageAt(targetOf(href, page).target)?.label
  }

  private pageAt(target: string): Page | undefined {
    return this.site.bySource.get(target) ?? this.site.bySource.get(posix.join(target, "README.md"))
  }

  private pictureOf(target: string): string {
    const url = target.replace(/^docs\//, "")
    this.pictures.set(url, target)
    return url
  }
}
