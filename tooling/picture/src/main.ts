#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs"
import type { ScenarioResult } from "@rollcall/simulator"
import { drawPicture } from "./picture.ts"

const USAGE = `pnpm picture RESULT.json OUT.svg

Draws a result of 'rollcall simulate -o json'. Zones are taken from the names of node groups: the part before the last dash.`

const [input, output] = process.argv.slice(2)
if (input === undefined || output === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const result = JSON.parse(readFileSync(input, "utf8")) as ScenarioResult
const nodes = result.trace.flatMap((entry) => (entry.type === "NodeRegistered" ? [entry.node] : []))
writeFileSync(
  output,
  drawPicture(result, new Map(nodes.map((node) => [node, `zone ${node.slice(0, node.lastIndexOf("-"))}`])))
)
