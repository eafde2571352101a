import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { fileURLToPath } from "node:url"
import Eleventy, { type UserConfig } from "@11ty/eleventy"
import { Links } from "./content/Links.ts"
import { makeMarkdown } from "./content/markdown.ts"
import { homeOf } from "./layout/home.ts"
import { pageOf } from "./layout/page.ts"
import type { Page, Site } from "./Site.ts"
import { writeSearch } from "./search.ts"

const ASSETS = fileURLToPath(new URL("assets", import.meta.url))

/** The folder that Eleventy reads. */
const INPUT = "docs"

/** Whether Eleventy finds the page itself. */
const isFound = ({ body, source = "" }: Page): boolean => body === undefined && source.startsWith(`${INPUT}/`)

/** Returns the path below docs by which Eleventy knows a page: that of its file, or one that no file has. */
const inputOf = (page: Page): string => {
  const { body, source = "", url } = page
  if (isFound(page)) return source.slice(INPUT.length + 1)
  return `_elsewhere/${url.replace(/\.html$/, "")}${body === undefined ? ".md" : ".html"}`
}

interface TemplateData {
  readonly page: { readonly inputPath: string }
}

const configure = (site: Site, output: string, config: UserConfig): void => {
  const byInput = new Map(site.pages.map((page) => [posix.join(INPUT, inputOf(page)), page]))
  const pageOfInput = (path: string): Page => {
    const page = byInput.get(posix.normalize(path))
    if (page === undefined) throw new Error(`${path}: is not in tooling/site/src/navigation.ts, which lists all pages`)
    return page
  }
  const links = new Links(site)
  config.setLibrary(
    "md",
    makeMarkdown(site, links, (env) => pageOfInput((env as TemplateData).page.inputPath))
  )
  config.setTemplateFormats(["md", "html"])
  config.setUseGitIgnore(false)
  config.addGlobalData(
    "permalink",
    () =>
      ({ page }: TemplateData) =>
        pageOfInput(page.inputPath).url
  )
  for (const page of site.pages) {
    if (isFound(page)) continue
    config.addTemplate(inputOf(page), page.body ?? readFileSync(join(site.root, page.source ?? ""), "utf8"))
  }
  config.addTransform("layout", function (content) {
    const page = pageOfInput(this.page.inputPath)
    return pageOf(site, page, (page.url === "index.html" ? homeOf(site, content) : content) + (page.after ?? ""))
  })
  config.on("eleventy.after", async () => {
    if (links.problems.length > 0) throw new Error(links.problems.join("\n"))
    cpSync(join(site.root, "LICENSE"), join(output, "LICENSE"))
    cpSync(ASSETS, join(output, "assets"), { recursive: true })
    for (const [url, source] of links.pictures) {
      mkdirSync(dirname(join(output, url)), { recursive: true })
      cpSync(join(site.root, source), join(output, url))
    }
    await writeSearch(output)
    process.stdout.write(
      `${site.pages.length} pages in ${output}, with links to ${[...links.hosts].sort().join(", ")}\n`
    )
  })
}

/** Makes the generator of the site. Its working directory must be the root of the repository. */
export const makeGenerator = (site: Site, output: string, serves: boolean): Eleventy =>
  new Eleventy(INPUT, relative(process.cwd(), output) || ".", {
    quietMode: true,
    runMode: serves ? "serve" : "build",
    config: (config) => {
      configure(site, output, config)
      return { markdownTemplateEngine: false, htmlTemplateEngine: false }
    }
  })
