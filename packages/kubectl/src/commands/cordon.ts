import type { Node } from "@rollcall/api"
import { cordonPatch, setUnschedulable } from "@rollcall/drain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { usageFailure } from "../CommandError.ts"
import { drainCluster } from "../drainCluster.ts"
import { type DryRun, dryRunFlag, dryRunOf, dryRunText } from "../dryRun.ts"
import { type Arguments, type Flag, int, text } from "../flags.ts"
import type { Host } from "../Host.ts"

export const cordonFlags: ReadonlyArray<Flag> = [dryRunFlag, text("selector", "l"), int("chunk-size")]

/** The nodes that a command line names, or selects. */
export const nodesOf = Effect.fnUntraced(function* (host: Host, command: string, args: Arguments) {
  const selector = args.text("selector") ?? ""
  if (args.positional.length === 0 && selector === "")
    return yield* usageFailure(command, `USAGE: ${command} NODE [flags]`)
  if (args.positional.length > 0 && selector !== "") {
    return yield* usageFailure(command, "cannot specify both a node name and a --selector option")
  }
  const cluster = drainCluster(host)
  if (selector !== "") {
    const { items } = yield* cluster.list("Node", { labelSelector: selector })
    return items
  }
  const nodes: Array<Node> = []
  for (const argument of args.positional) {
    nodes.push(yield* cluster.get("Node", { name: argument.replace(/^nodes?\//, "") }))
  }
  return nodes
})

/** Cordons or uncordons; an error of one node does not keep the others. */
export const setNodes = Effect.fnUntraced(function* (
  host: Host,
  nodes: ReadonlyArray<Node>,
  unschedulable: boolean,
  dryRun: DryRun
) {
  const verb = unschedulable ? "cordon" : "uncordon"
  for (const node of nodes) {
    const { name = "" } = node.metadata
    const say = (words: string) => host.stdout(`node/${name} ${words}${dryRunText(dryRun)}\n`)
    if (cordonPatch(node, unschedulable) === undefined) {
      say(`already ${verb}ed`)
      continue
    }
    if (dryRun !== "client") {
      const done = yield* Effect.result(
        setUnschedulable(drainCluster(host), node, unschedulable, { dryRun: dryRun === "server" })
      )
      if (Result.isFailure(done)) {
        host.stderr(`error: unable to ${verb} node ${JSON.stringify(name)}: ${done.failure.message}\n`)
        continue
      }
    }
    say(`${verb}ed`)
  }
})

const command = (name: string, unschedulable: boolean) =>
  Effect.fnUntraced(function* (host: Host, args: Arguments) {
    const dryRun = yield* dryRunOf(args)
    yield* setNodes(host, yield* nodesOf(host, name, args), unschedulable, dryRun)
  })

/** `kubectl cordon`. Upstream: kubectl/pkg/cmd/drain/drain.go. */
export const cordon = command("cordon", true)
export const uncordon = command("uncordon", false)
