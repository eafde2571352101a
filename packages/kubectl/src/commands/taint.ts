import type { Node } from "@rollcall/api"
import { createStrategicPatch } from "@rollcall/api/patch"
import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { CommandError, failure, serverErrorText, usageFailure } from "../CommandError.ts"
import { dryRunOf } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath } from "../Mapping.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { splitPairs } from "../pairs.ts"
import { patchObject } from "../request.ts"
import { changeTaints, contradiction, parseTaints } from "../taints.ts"
import { resolveArguments } from "../targets.ts"

/** Checks that nodes are given by name, selector or --all. Returns the error, or undefined. */
const targetFault = (args: Arguments, [type = "", ...names]: ReadonlyArray<string>): string | undefined => {
  if (args.isOn("all") && args.text("selector"))
    return "setting 'all' parameter with a non empty selector is prohibited"
  if (args.isOn("all") || args.text("selector") || names.length > 0 || type.includes("/")) return undefined
  return "at least one resource name must be specified since 'all' parameter is not set"
}

/** `faults`: the errors of each node. */
const ended = (
  host: Host,
  faults: ReadonlyArray<ReadonlyArray<string>>,
  errors: ReadonlyArray<ClusterError>
): CommandError => {
  const [first = []] = faults
  // Only a single error gets a prefix. Upstream: cmd/util/helpers.go, checkErr.
  if (faults.length === 1 && errors.length === 0) {
    return first.length === 1 ? failure(first[0] ?? "") : new CommandError({ text: first.join("\n") })
  }
  const lines = faults.map((ofNode) => (ofNode.length === 1 ? (ofNode[0] ?? "") : `[${ofNode.join(", ")}]`))
  return new CommandError({
    text: [...lines, ...errors.map((error) => serverErrorText(error, host.server))].join("\n")
  })
}

/** `kubectl taint`. Continues after an error of one node. Upstream: kubectl/pkg/cmd/taint/taint.go. */
export const taint = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  const printer = yield* Effect.fromResult(objectPrinterOf(args.text("output")))
  const { changes: specs, resources } = yield* Effect.fromResult(splitPairs(args.positional, "taint", "=:"))
  const [type = ""] = resources
  if (type === "") return yield* failure("one or more resources must be specified as <resource> <name>")
  if (specs.length === 0) return yield* failure("at least one taint update is required")
  const kind = type.split("/")[0] ?? ""
  if (!["node", "nodes", "no"].includes(kind)) {
    return yield* failure(`invalid resource type ${kind}, only node types are supported`)
  }
  const parsed = parseTaints(specs)
  if (Result.isFailure(parsed)) return yield* usageFailure("taint", parsed.failure)
  const fault = contradiction(parsed.success) ?? targetFault(args, resources)
  if (fault !== undefined) return yield* failure(fault)
  const selects = args.isOn("all") || Boolean(args.text("selector"))
  const { errors, infos } = yield* resolveArguments(host, selects ? [kind] : resources, args)
  const faults: Array<ReadonlyArray<string>> = []
  const refused = [...errors]
  for (const { mapping, name, object } of infos) {
    const node = object as Node
    const changed = changeTaints(node, parsed.success, args.isOn("overwrite"))
    if (Result.isFailure(changed)) {
      faults.push(changed.failure)
      continue
    }
    const { operation, taints } = changed.success
    let result: Node = { ...node, spec: { ...node.spec, taints } }
    if (dryRun !== "client") {
      const patch = createStrategicPatch("Node", node, result)
      const query = { dryRun: dryRun === "server", fieldManager: args.text("field-manager") ?? "kubectl-taint" }
      const done = yield* Effect.result(patchObject(host, objectPath(mapping, "", name), "strategic", patch, query))
      if (Result.isFailure(done)) {
        refused.push(done.failure)
        continue
      }
      result = done.success as Node
    }
    // kubectl's line is the same in a dry run.
    if (printer === undefined) host.stdout(`node/${name} ${operation}\n`)
    else host.stdout(yield* Effect.fromResult(printer.print(result)))
  }
  if (faults.length + refused.length > 0) return yield* ended(host, faults, refused)
})
