import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { lineOf } from "@rollcall/house/pageLinks"
import { breakable, escapeHtml } from "../content/escape.ts"
import { anchorOf } from "../content/headings.ts"
import { codeBlock } from "../content/highlight.ts"
import { type Group, type Page, repositoryOf } from "../Site.ts"
import { type Declaration, Declarations } from "./declarations.ts"
import { block, code, heading, referenceGroup } from "./html.ts"

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string>>
}

/** A longer declaration is cut: its source is a link away. */
const MOST_LINES = 100
/** The type of a value that no one wrote, as of a schema, is cut earlier. */
const MOST_INFERRED = 20

const cut = (text: string): string => {
  const lines = text.split("\n")
  const most = text.startsWith("const ") ? MOST_INFERRED : MOST_LINES
  return lines.length <= most
    ? text
    : [...lines.slice(0, most), `// … and ${lines.length - most} more lines`].join("\n")
}

/** Returns the anchors of a README's headings. */
const headingAnchors = (readme: string): Set<string> => {
  const counts = new Map<string, number>()
  const headings = readme.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)
  return new Set([...headings].map(([, heading = ""]) => anchorOf(heading, counts)))
}

/** Makes the pages of one repository's packages. */
class PackagePages {
  private readonly root: string
  private readonly host: string
  private readonly declarations: Declarations

  constructor(root: string, declarations: Declarations) {
    this.root = root
    this.host = `${repositoryOf(root)}/blob/main`
    this.declarations = declarations
  }

  /** Returns the page of a published package; undefined if the package is private. */
  page(folder: string): Page | undefined {
    const manifest: Manifest = JSON.parse(readFileSync(join(this.root, folder, "package.json"), "utf8"))
    if (manifest.private === true) return undefined
    // A name is its own anchor, unless a heading of the README or an earlier entry has it.
    const taken = headingAnchors(readFileSync(join(this.root, folder, "README.md"), "utf8"))
    // An app's entries are for this workspace.
    const exported = folder.startsWith("packages/") ? (manifest.exports ?? {}) : {}
    const entries = Object.entries(exported).filter(([, target]) => target.endsWith(".ts"))
    const after = entries.map(([entry, target]) =>
      this.entry(`${manifest.name}${entry.slice(1)}`, join(folder, target), taken)
    )
    return {
      url: `reference/${folder}.html`,
      label: manifest.name,
      source: `${folder}/README.md`,
      body: undefined,
      after: after.join("")
    }
  }

  private entry(specifier: string, source: string, taken: Set<string>): string {
    const found = this.declarations.exportedBy(source)
    if (found.length === 0) return ""
    const name = specifier.replace("@rollcall/", "").replaceAll("/", "-")
    const parts = found.map((declaration) => {
      const anchor = taken.has(declaration.name) ? `${name}-${declaration.name}` : declaration.name
      taken.add(declaration.name)
      return this.declaration(anchor, declaration)
    })
    return heading(2, `import-${name}`, code(specifier)) + parts.join("")
  }

  private declaration(anchor: string, { doc, name, source, text }: Declaration): string {
    const line = lineOf(readFileSync(join(this.root, source), "utf8"), name)
    const address = `${this.host}/${source}${line === undefined ? "" : `#L${line}`}`
    const link = `<a class="origin" href="${escapeHtml(address)}">source</a>`
    const title = heading(3, anchor, breakable(name))
    const declared = `<div class="declaration">${codeBlock(cut(text), "typescript")}</div>\n`
    return `<div class="named">${title}${link}</div>\n${block(doc)}${declared}`
  }
}

/** Makes a page for each published package: its README, then each name that it exports with its declaration and doc comment. */
export const packagePages = (root: string): Group => {
  const declarations = Declarations.write(root)
  try {
    const pages = new PackagePages(root, declarations)
    const folders = ["apps", "packages"].flatMap((group) =>
      readdirSync(join(root, group)).map((name) => join(group, name))
    )
    return referenceGroup(
      "Packages",
      folders.flatMap((folder) => pages.page(folder) ?? [])
    )
  } finally {
    declarations.remove()
  }
}
