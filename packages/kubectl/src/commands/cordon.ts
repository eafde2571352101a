import type { Node } from "@rollcall/api"
import { cordonPatch, setUnschedulable } from "@rollcall/drain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { commandError, usageError } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import { drainCluster, mappingOfKind } from "../drainCluster.ts"
import { type DryRun, dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath } from "../Mapping.ts"
import { callObject } from "../request.ts"
import { readTargets, type Target } from "../targets.ts"

const noResourceMessage = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`

/** Reads a node argument: `n1` or `node/n1`. */
const nodeOf = Effect.fnUntraced(function* (host: Host, target: Target) {
  const { mapping, name = "" } = target
  const object = yield* callObject(host, { method: "GET", path: objectPath(mapping, host.namespace, name) })
  if (mapping.group !== "" || mapping.plural !== "nodes") {
    const found = [mapping.group, mapping.version, mapping.plural].map((part) => JSON.stringify(part)).join(" ")
    return yield* commandError(`expected resource of type node, got {${found}}`)
  }
  return object as Node
})

/** Reads the arguments, which must all be of one type. */
const targetsOf = Effect.fnUntraced(function* (host: Host, positional: ReadonlyArray<string>) {
  const nodes = mappingOfKind("Node")
  if (!positional.some((argument) => argument.includes("/"))) {
    return positional.map((name): Target => ({ mapping: nodes, name }))
  }
  const mappings = yield* discover(host)
  const typed = positional.map((argument) => (argument.includes("/") ? argument : `nodes/${argument}`))
  const targets = yield* readTargets(mappings, typed)
  if (new Set(targets.map(({ mapping }) => `${mapping.plural}.${mapping.group}`)).size > 1) {
    return yield* commandError("you may only specify a single resource type")
  }
  return targets
})

/** Returns the nodes that a command line names or selects. */
export const nodesOf = Effect.fnUntraced(function* (host: Host, command: string, args: Arguments) {
  const selector = args.text("selector") ?? ""
  if (args.positional.length === 0 && !args.has("selector"))
    return yield* usageError(command, `USAGE: ${command} NODE [flags]`)
  if (args.positional.length > 0 && selector !== "") {
    return yield* usageError(command, "cannot specify both a node name and a --selector option")
  }
  if (selector !== "") {
    const found = yield* drainCluster(host, { pageSize: args.text("chunk-size") }).list("Node", {
      labelSelector: selector
    })
    return found.items
  }
  if (args.positional.length === 0) return yield* commandError(noResourceMessage)
  return yield* Effect.forEach(yield* targetsOf(host, args.positional), (target) => nodeOf(host, target))
})

/** Cordons or uncordons nodes; continues after an error of one node. */
export const setNodesUnschedulable = Effect.fnUntraced(function* (
  host: Host,
  nodes: ReadonlyArray<Node>,
  unschedulable: boolean,
  dryRun: DryRun
) {
  const verb = unschedulable ? "cordon" : "uncordon"
  for (const node of nodes) {
    const { name = "" } = node.metadata
    const print = (words: string) => host.stdout(`node/${name} ${words}${dryRunText(dryRun)}\n`)
    if (cordonPatch(node, unschedulable) === undefined) {
      print(`already ${verb}ed`)
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
    print(`${verb}ed`)
  }
})

const command = (name: string, unschedulable: boolean) =>
  Effect.fnUntraced(function* (host: Host, args: Arguments) {
    const dryRun = yield* dryRunOf(args)
    yield* setNodesUnschedulable(host, yield* nodesOf(host, name, args), unschedulable, dryRun)
  })

/** `kubectl cordon`. Upstream: kubectl/pkg/cmd/drain/drain.go. */
export const cordon = command("cordon", true)
export const uncordon = command("uncordon", false)
