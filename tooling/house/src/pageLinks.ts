#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Links of the Markdown pages to files of the project. A link whose text is a name in backticks leads to the line that declares the
 * name: [`decideHealth`](../packages/x/src/Health.ts#L20). Lines move, so `pnpm format` updates them. A test fails on a link
 * to a file, a heading or a name that does not exist, on a path in backticks that does not exist, and on an outdated line.
 */

/** Matches a path of the project in backticks, but no pattern such as `packages/…` or `docs/{a,b}.md`. */
const PATH = /`((?:packages|apps|tooling|examples|docs)\/[\w./-]+)`/g

/** Matches `[text](target)` outside of images and code. */
const LINK = /(?<!!)\[((?:`[^`]*`|[^\][`])*)\]\(([^)\s]+)\)/g

/** Returns the line (from 1) that declares the last part of a dotted name, else the first that mentions it; undefined if none does. */
export const lineOf = (source: string, name: string): number | undefined => {
  const last = (name.split(".").at(-1) ?? name).replace(/\(.*$/, "")
  const word = `(?<![\\w$])${last.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`
  const forms = [
    new RegExp(
      `^\\s*(?:export )?(?:default )?(?:abstract )?(?:async )?(?:const|let|class|function\\*?|interface|type) ${word}`
    ),
    new RegExp(`^\\s*(?:(?:private|public|readonly|static|async|get) )*["']?${word}["']?\\??\\s*(?:[:(=<])`),
    new RegExp(word)
  ]
  const lines = source.split("\n")
  for (const form of forms) {
    const at = lines.findIndex((line) => form.test(line))
    if (at >= 0) return at + 1
  }
  return undefined
}

/** Returns GitHub's anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

/** Replaces code blocks by blanks, so that positions stay the same. */
const withoutCode = (page: string): string =>
  page.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, " "))

const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set([...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)))

/** The result of a check of a page's links. */
export interface PageLinks {
  /** The page with the lines of its links up to date. */
  readonly page: string
  /** One message for each broken link: `docs/a.md: …`. */
  readonly problems: ReadonlyArray<string>
}

/** Checks the links of a page, and updates their lines. `file` is the path of the page below `root`. */
export const checkLinks = (root: string, file: string, page: string): PageLinks => {
  const problems: Array<string> = []
  const fail = (target: string, message: string) => problems.push(`${file}: ${target}: ${message}`)
  const blanked = withoutCode(page)
  const updated = page.replaceAll(LINK, (link, text: string, target: string, offset: number) => {
    if (blanked[offset] !== "[" || /^[a-z]+:/.test(target)) return link
    const [path = "", anchor = ""] = target.split("#")
    const place = path === "" ? join(root, file) : join(root, dirname(file), path)
    if (path !== "" && !existsSync(place)) {
      fail(target, "no such file")
      return link
    }
    if (path !== "" && statSync(place).isDirectory()) return link
    const name = /^`([^`]+)`$/.exec(text)?.[1]
    if (/^L\d+$/.test(anchor) && name !== undefined) {
      const line = lineOf(readFileSync(place, "utf8"), name)
      if (line !== undefined) return `[${text}](${path}#L${line})`
      fail(target, `the file does not mention ${name}`)
    } else if (anchor !== "" && place.endsWith(".md")) {
      const linked = path === "" ? page : readFileSync(place, "utf8")
      if (!anchorsOf(linked).has(anchor)) fail(target, "no such heading")
    }
    return link
  })
  for (const [, path = ""] of blanked.matchAll(PATH)) {
    if (!existsSync(join(root, path))) fail(path, "no such file")
  }
  return { page: updated, problems }
}

/** Returns all Markdown pages that git knows, except changesets. */
export const pagesOf = (root: string): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => !file.startsWith(".changeset/") && existsSync(join(root, file)))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
  for (const file of pagesOf(root)) {
    const before = readFileSync(join(root, file), "utf8")
    const { page, problems } = checkLinks(root, file, before)
    if (page !== before) writeFileSync(join(root, file), page)
    for (const problem of problems) {
      process.stderr.write(`${problem}\n`)
      process.exitCode = 1
    }
  }
}
