import type { Node } from "@rollcall/api"
import { createStrategicPatch } from "@rollcall/api/patch"
import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { CommandError, commandError, serverErrorText, usageError } from "../CommandError.ts"
import { dryRunOf } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath } from "../Mapping.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { splitResourcesAndChanges } from "../pairs.ts"
import { patchObject } from "../request.ts"
import { changeTaints, contradictionError, parseTaints } from "../taints.ts"
import { resolveArguments } from "../targets.ts"

/** Checks that nodes are given by name, selector or --all. Returns the error, or undefined. */
const targetProblem = (args: Arguments, [type = "", ...names]: ReadonlyArray<string>): string | undefined => {
  if (args.isOn("all") && args.text("selector"))
    return "setting 'all' parameter with a non empty selector is prohibited"
  if (args.isOn("all") || args.text("selector") || names.length > 0 || type.includes("/")) return undefined
  return "at least one resource name must be specified since 'all' parameter is not set"
}

/** Returns the error of the command; `nodeErrors` has the messages for each node. */
const errorOfNodes = (
  host: Host,
  nodeErrors: ReadonlyArray<ReadonlyArray<string>>,
  errors: ReadonlyArray<ClusterError>
): CommandError => {
  const [first = []] = nodeErrors
  // Only a single error gets a prefix. Upstream: cmd/util/helpers.go, checkErr.
  if (nodeErrors.length === 1 && errors.length === 0) {
    return first.length === 1 ? commandError(first[0] ?? "") : new CommandError({ text: first.join("\n") })
  }
  const lines = nodeErrors.map((ofNode) => (ofNode.length === 1 ? (ofNode[0] ?? "") : `[${ofNode.join(", ")}]`))
  return new CommandError({
    text: [...lines, ...errors.map((error) => serverErrorText(error, host.server))].join("\n")
  })
}

/** `kubectl taint`. Continues after an error of one node. Upstream: kubectl/pkg/cmd/taint/taint.go. */
export const taint = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  const printer = yield* Effect.fromResult(objectPrinterOf(args.text("output")))
  const { changes: specs, resources } = yield* Effect.fromResult(
    splitResourcesAndChanges(args.positional, "taint", "=:")
  )
  const [type = ""] = resources
  if (type === "") return yield* commandError("one or more resources must be specified as <resource> <name>")
  if (specs.length === 0) return yield* commandError("at least one taint update is required")
  const kind = type.split("/")[0] ?? ""
  if (!["node", "nodes", "no"].includes(kind)) {
    return yield* commandError(`invalid resource type ${kind}, only node types are supported`)
  }
  const parsed = parseTaints(specs)
  if (Result.isFailure(parsed)) return yield* usageError("taint", parsed.failure)
  const problem = contradictionError(parsed.success) ?? targetProblem(args, resources)
  if (problem !== undefined) return yield* commandError(problem)
  const selects = args.isOn("all") || Boolean(args.text("selector"))
  const { errors, infos } = yield* resolveArguments(host, selects ? [kind] : resources, args)
  const nodeErrors: Array<ReadonlyArray<string>> = []
  const serverErrors = [...errors]
  for (const { mapping, name, object } of infos) {
    const node = object as Node
    const changed = changeTaints(node, parsed.success, args.isOn("overwrite"))
    if (Result.isFailure(changed)) {
      nodeErrors.push(changed.failure)
      continue
    }
    const { operation, taints } = changed.success
    let result: Node = { ...node, spec: { ...node.spec, taints } }
    if (dryRun !== "client") {
      const patch = createStrategicPatch("Node", node, result)
      const query = { dryRun: dryRun === "server", fieldManager: args.text("field-manager") ?? "kubectl-taint" }
      const outcome = yield* Effect.result(patchObject(host, objectPath(mapping, "", name), "strategic", patch, query))
      if (Result.isFailure(outcome)) {
        serverErrors.push(outcome.failure)
        continue
      }
      result = outcome.success as Node
    }
    // kubectl's line is the same in a dry run.
    if (printer === undefined) host.stdout(`node/${name} ${operation}\n`)
    else host.stdout(yield* Effect.fromResult(printer.print(result)))
  }
  if (nodeErrors.length + serverErrors.length > 0) return yield* errorOfNodes(host, nodeErrors, serverErrors)
})
