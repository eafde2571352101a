#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
const START = "<!-- output of: pnpm rehearse -->\n```text\n"
const END = "```\n<!-- end of output -->"

/** What `pnpm rehearse` prints, without what differs from machine to machine. */
export const demoOutput = (): string => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const [, ...args] = (scripts.rehearse ?? "").split(" ")
  const output = execFileSync(process.execPath, [...args, "--quiet"], { cwd: root, encoding: "utf8" })
  return withoutSpeed(output)
}

/** How fast it ran is the one thing that two runs do not agree on. */
export const withoutSpeed = (output: string): string =>
  output.replace(/ in [\d.]+s \([\d,]+ times real time\)/, "").replace(/[ \t]+$/gm, "")

export const readmeFile = join(root, "README.md")

/** The part of the README that shows the output. */
export const shownOutput = (readme: string): string => {
  const from = readme.indexOf(START) + START.length
  return readme.slice(from, readme.indexOf(END, from))
}

export const withOutput = (readme: string, output: string): string => {
  const from = readme.indexOf(START) + START.length
  return readme.slice(0, from) + output + readme.slice(readme.indexOf(END, from))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(readmeFile, withOutput(readFileSync(readmeFile, "utf8"), demoOutput()))
}
