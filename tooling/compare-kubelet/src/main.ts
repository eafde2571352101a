#!/usr/bin/env node
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lifeDifferences } from "./differences.ts"
import { formatLife, parseLife } from "./Life.ts"
import { recordLives } from "./record.ts"
import { rehearseLife } from "./rehearse.ts"
import { shapes } from "./shapes/index.ts"

const USAGE = `pnpm compare-kubelet compare FOLDER [SHAPE…]
pnpm compare-kubelet record FOLDER KUBECONFIG AUDIT_LOG NODE [SHAPE…]

compare: plays the recorded lives of pods on Rollcall's kubelet, in virtual time, and prints the lines in which it differs:
  - the genuine kubelet only, + Rollcall's only, @ at another time. Exit: 0 they agree, 1 they differ, 2 wrong input.
record: creates the pods of all shapes, or of these, on a node of a cluster whose API server writes its audit log at level
  RequestResponse, and records what the node's kubelet asks of the API.`

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const wanted = <A extends { readonly name: string }>(all: ReadonlyArray<A>, names: ReadonlyArray<string>) => {
  const unknown = names.find((name) => !all.some((one) => one.name === name))
  if (unknown !== undefined)
    return fail(`${unknown}: no such shape; there are ${all.map(({ name }) => name).join(", ")}`)
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

const record = async ([folder, kubeconfig, auditLog, node, ...names]: ReadonlyArray<string>): Promise<void> => {
  if (folder === undefined || kubeconfig === undefined || auditLog === undefined || node === undefined)
    return fail(USAGE)
  const lives = await Effect.runPromise(
    recordLives(wanted(shapes, names), { kubeconfig, auditLog, node }).pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(layerWallClock(), NodeServices.layer))
    )
  )
  mkdirSync(folder, { recursive: true })
  for (const life of lives) writeFileSync(join(folder, `${life.name}.json`), formatLife(life))
}

const compare = ([folder, ...names]: ReadonlyArray<string>): void => {
  if (folder === undefined) {
    fail(USAGE)
    return
  }
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
  const lives = files.toSorted().map((name) => parseLife(readFileSync(join(folder, name), "utf8")))
  let total = 0
  for (const life of wanted(lives, names)) {
    const lines = lifeDifferences(life, rehearseLife(life))
    const count = lines.filter((line) => !line.startsWith(" ")).length
    total += count
    process.stdout.write(
      `${count === 0 ? "agrees " : "DIFFERS"} ${life.name}${count === 0 ? "" : `: ${count} lines`}\n`
    )
    for (const line of lines) process.stdout.write(`  ${line}\n`)
  }
  process.stdout.write(total === 0 ? "all agree\n" : `${total} lines differ\n`)
  process.exitCode = total === 0 ? 0 : 1
}

const [command, ...rest] = process.argv.slice(2)
if (command === "record") await record(rest)
else if (command === "compare") compare(rest)
else fail(USAGE)
