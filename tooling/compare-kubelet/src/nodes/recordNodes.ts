import { spawnSync } from "node:child_process"
import type { Connection } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { requestsOfUser } from "../auditLog.ts"
import { connectTo, LAST_REQUESTS, type RecordOptions, seconds, send } from "../record.ts"
import { type NodeLife, type NodeShape, type NodeStep, nodeStepsFor } from "./NodeLife.ts"

export interface RecordNodesOptions extends RecordOptions {
  /**
   * A program that acts on the machine: `wipe` (ends the kubelet, and removes its state, its containers and what the API has of the
   * node), `start` (with the fields of KubeletConfiguration in the variable EXTRA_CONFIG), `stop`, `shutdown`, `cancel`,
   * `manifest NAME` (from the standard input; none removes it).
   */
  readonly program: string
}

const run = (program: string, args: ReadonlyArray<string>, input = "", config: object = {}): void => {
  const lines = Object.entries(config).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
  const env = { ...process.env, EXTRA_CONFIG: lines.join("\n") }
  const { status, stderr } = spawnSync(program, args, { input, env, encoding: "utf8" })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`)
}

const act = (connection: Connection, program: string, shape: NodeShape, step: NodeStep) => {
  if ("request" in step)
    return Effect.catch(send(connection, step), (error) => Effect.logError(`${shape.name}: ${error.message}`))
  return Effect.sync(() => {
    if ("process" in step) run(program, [step.process], "", shape.config)
    else if ("shutdown" in step) run(program, [step.shutdown ? "shutdown" : "cancel"])
    else run(program, ["manifest", step.manifest], step.pod === undefined ? "" : JSON.stringify(step.pod))
  })
}

/** Plays the shapes of nodes one after another on one node, and returns what its kubelet did. */
export const recordNodes = Effect.fnUntraced(function* (
  shapes: ReadonlyArray<NodeShape>,
  { auditLog, kubeconfig, node, program }: RecordNodesOptions
) {
  const connection = yield* connectTo(kubeconfig)
  const lives: Array<NodeLife> = []
  for (const shape of shapes) {
    run(program, ["wipe"])
    const startMs = yield* Clock.currentTimeMillis
    for (const step of nodeStepsFor(shape, node)) {
      const now = yield* Clock.currentTimeMillis
      yield* Effect.sleep(Math.max(0, startMs + step.at * 1000 - now))
      yield* act(connection, program, shape, step)
    }
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Math.max(0, startMs + shape.seconds * 1000 - now))
    yield* Effect.sleep(LAST_REQUESTS)
    const requests = requestsOfUser(auditLog, `system:node:${node}`)
      .filter(({ atMs }) => atMs >= startMs && atMs <= startMs + shape.seconds * 1000)
      .map(({ atMs, ...request }) => ({ ...request, at: seconds(atMs - startMs) }))
    lives.push({ ...shape, node, requests })
  }
  return lives
})
