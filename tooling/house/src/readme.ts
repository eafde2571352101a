#!/usr/bin/env node
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
const COMMAND = "rollcall simulate examples/zone-outage.yaml"
/** The text before and after the output in the README. */
const START = `<!-- output of: ${COMMAND} -->\n\`\`\`text\n`
const END = "```\n<!-- end of output -->"

/** Returns the output of the README's command. */
export const demoOutput = (): string => {
  const [, ...args] = COMMAND.split(" ")
  const output = execFileSync(process.execPath, ["apps/cli/src/main.ts", ...args, "--quiet"], {
    cwd: root,
    encoding: "utf8"
  })
  return output.replace(/[ \t]+$/gm, "")
}

/** Removes the speed, which differs between runs. */
export const withoutSpeed = (output: string): string => output.replace(SPEED, "")

const SPEED = / in [\d.]+s \([\d,]+ times real time\)/

/** The path of the README of the project. */
export const readmeFile = join(root, "README.md")

/** Returns the part of the README that shows the output. */
export const shownOutput = (readme: string): string => {
  const from = readme.indexOf(START) + START.length
  return readme.slice(from, readme.indexOf(END, from))
}

/** Returns the README with another output. */
export const withOutput = (readme: string, output: string): string => {
  const from = readme.indexOf(START) + START.length
  return readme.slice(0, from) + output + readme.slice(readme.indexOf(END, from))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(readmeFile, withOutput(readFileSync(readmeFile, "utf8"), demoOutput()))
}
