#!/usr/bin/env node
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lifeDifferences } from "./differences.ts"
import { formatLife, type Life, parseLife } from "./Life.ts"
import type { NodeLife } from "./nodes/NodeLife.ts"
import { nodeDifferences } from "./nodes/nodeDifferences.ts"
import { recordNodes } from "./nodes/recordNodes.ts"
import { rehearseNode } from "./nodes/rehearseNode.ts"
import { nodeShapes } from "./nodes/shapes.ts"
import { recordLives } from "./record.ts"
import { rehearseLife } from "./rehearse.ts"
import { shapes } from "./shapes/index.ts"

const USAGE = `pnpm compare-kubelet compare FOLDER [SHAPE…]
pnpm compare-kubelet record FOLDER KUBECONFIG AUDIT_LOG NODE [SHAPE…]
pnpm compare-kubelet compare-nodes FOLDER [SHAPE…]
pnpm compare-kubelet record-nodes FOLDER KUBECONFIG AUDIT_LOG NODE PROGRAM [SHAPE…]

compare: plays the recorded lives of pods on Rollcall's kubelet, in virtual time, and prints the lines in which it differs:
  - the genuine kubelet only, + Rollcall's only, @ at another time. Exit: 0 they agree, 1 they differ, 2 wrong input.
record: creates the pods of all shapes, or of these, on a node of a cluster whose API server writes its audit log at level
  RequestResponse, and records what the node's kubelet asks of the API.
compare-nodes, record-nodes: the same for lives of a node, from the start of its kubelet on. PROGRAM acts on the machine: wipe, start, stop,
  shutdown, cancel, manifest NAME.`

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

const recordNode = async (given: ReadonlyArray<string>): Promise<void> => {
  const [folder, kubeconfig, auditLog, node, program, ...names] = given
  if (
    folder === undefined ||
    kubeconfig === undefined ||
    auditLog === undefined ||
    node === undefined ||
    program === undefined
  )
    return fail(USAGE)
  mkdirSync(folder, { recursive: true })
  for (const shape of wanted(nodeShapes, names)) {
    const [life] = await Effect.runPromise(
      recordNodes([shape], { kubeconfig, auditLog, node, program }).pipe(
        Effect.scoped,
        Effect.provide(Layer.merge(layerWallClock(), NodeServices.layer))
      )
    )
    if (life !== undefined) writeFileSync(join(folder, `${life.name}.json`), formatLife(life))
  }
}

/** Prints the differences of the lives in a folder. */
const compareAll = <A extends Parameters<typeof formatLife>[0]>(
  [folder, ...names]: ReadonlyArray<string>,
  differences: (life: A) => ReadonlyArray<string>
): void => {
  if (folder === undefined) {
    fail(USAGE)
    return
  }
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"))
  const lives = files.toSorted().map((name) => parseLife<A>(readFileSync(join(folder, name), "utf8")))
  let total = 0
  for (const life of wanted(lives, names)) {
    const lines = differences(life)
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
else if (command === "record-nodes") await recordNode(rest)
else if (command === "compare") compareAll<Life>(rest, (life) => lifeDifferences(life, rehearseLife(life)))
else if (command === "compare-nodes") compareAll<NodeLife>(rest, (life) => nodeDifferences(life, rehearseNode(life)))
else fail(USAGE)
