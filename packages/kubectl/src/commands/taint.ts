import type { Node } from "@rollcall/api"
import { createStrategicPatch } from "@rollcall/api/patch"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { failure, usageFailure } from "../CommandError.ts"
import { dryRunFlag, dryRunOf, dryRunText } from "../dryRun.ts"
import { type Arguments, bool, type Flag, text } from "../flags.ts"
import type { Host } from "../Host.ts"
import { objectPath } from "../Mapping.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { splitPairs } from "../pairs.ts"
import { patchObject } from "../request.ts"
import { changeTaints, contradiction, parseTaints } from "../taints.ts"
import { failWith, resolveArguments } from "../targets.ts"

export const taintFlags: ReadonlyArray<Flag> = [
  bool("all"),
  dryRunFlag,
  text("field-manager"),
  text("output", "o"),
  bool("overwrite"),
  text("selector", "l")
]

/** `kubectl taint`. Upstream: kubectl/pkg/cmd/taint/taint.go. */
export const taint = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  const printer = yield* Effect.fromResult(objectPrinterOf(args.text("output")))
  const { changes: specs, resources } = yield* Effect.fromResult(splitPairs(args.positional, "taint", "=:"))
  const [type = "", ...names] = resources
  if (type === "")
    return yield* failure("one or more resources must be specified as <resource> <name> or <resource>/<name>")
  if (specs.length === 0) return yield* failure("at least one taint update is required")
  const kind = type.split("/")[0] ?? ""
  if (!["node", "nodes", "no"].includes(kind)) {
    return yield* failure(`invalid resource type ${kind}, only node types are supported`)
  }
  const parsed = parseTaints(specs)
  if (Result.isFailure(parsed)) return yield* usageFailure("taint", parsed.failure)
  const both = contradiction(parsed.success)
  if (both !== undefined) return yield* failure(both)
  if (names.length === 0 && !type.includes("/") && !args.isOn("all") && !args.has("selector")) {
    return yield* failure("one or more resources must be specified as <resource> <name> or <resource>/<name>")
  }
  const { errors, infos } = yield* resolveArguments(host, resources, args)
  for (const { mapping, name, object } of infos) {
    const node = object as Node
    const changed = changeTaints(node, parsed.success, args.isOn("overwrite"))
    if (Result.isFailure(changed)) return yield* failure(changed.failure)
    const { operation, taints } = changed.success
    let result: Node = { ...node, spec: { ...node.spec, taints } }
    if (dryRun !== "client") {
      const patch = createStrategicPatch("Node", node, result)
      const query = { dryRun: dryRun === "server", fieldManager: args.text("field-manager") ?? "kubectl-taint" }
      result = (yield* patchObject(host, objectPath(mapping, "", name), "strategic", patch, query)) as Node
    }
    if (printer === undefined) host.stdout(`node/${name} ${operation}${dryRunText(dryRun)}\n`)
    else host.stdout(yield* Effect.fromResult(printer.print(result)))
  }
  yield* failWith(host, errors)
})
