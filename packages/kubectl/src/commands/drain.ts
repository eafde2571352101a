import { type Node, type Pod, parseDuration, parseLabelSelector, type Selector } from "@rollcall/api"
import {
  type DrainEvent,
  DrainFailed,
  type DrainMessages,
  drainMessages,
  evictPods,
  planNodeDrain
} from "@rollcall/drain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CommandError, failure } from "../CommandError.ts"
import { drainCluster } from "../drainCluster.ts"
import { type DryRun, dryRunFlag, dryRunOf, dryRunText } from "../dryRun.ts"
import { type Arguments, bool, duration, type Flag, int, text } from "../flags.ts"
import type { Host } from "../Host.ts"
import { nodesOf, setNodes } from "./cordon.ts"

export const drainFlags: ReadonlyArray<Flag> = [
  int("chunk-size"),
  bool("delete-emptydir-data"),
  bool("disable-eviction"),
  dryRunFlag,
  bool("force"),
  int("grace-period"),
  bool("ignore-daemonsets"),
  text("pod-selector"),
  text("selector", "l"),
  int("skip-wait-for-delete-timeout"),
  duration("timeout")
]

/** kubectl v1.32 says the beginning of this one twice. */
const messages: DrainMessages = {
  ...drainMessages,
  unmanagedFatal: "cannot delete Pods that declare no controller (use --force to override)"
}

const placeOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** The line for an event, and where it goes. */
const lineOf = (event: DrainEvent, dryRun: DryRun): { readonly stdout?: string; readonly stderr?: string } => {
  const { metadata } = event.pod
  const pod = JSON.stringify(metadata.name)
  const namespace = JSON.stringify(metadata.namespace)
  switch (event.type) {
    case "evicting":
      return { stdout: `evicting pod ${placeOf(event.pod)}${dryRunText(dryRun)}` }
    case "deleting":
      return dryRun === "none" ? {} : { stdout: `deleting pod ${placeOf(event.pod)}${dryRunText(dryRun)}` }
    case "evicted":
    case "deleted":
      return { stdout: `pod/${metadata.name ?? ""} ${event.type}` }
    case "skipped":
      return { stdout: `pod ${pod} has DeletionTimestamp older than ${event.seconds} seconds, skipping` }
    case "refused": {
      const { message } = event.error
      return { stderr: `error when evicting pods/${pod} -n ${namespace} (will retry after 5s): ${message}` }
    }
    case "namespaceTerminating": {
      const { message } = event.error
      return {
        stderr: `error when evicting pod ${pod} from terminating namespace ${namespace} (will retry after 5s): ${message}`
      }
    }
  }
}

const listener =
  (host: Host, dryRun: DryRun) =>
  (event: DrainEvent): void => {
    const { stderr, stdout } = lineOf(event, dryRun)
    if (stdout !== undefined) host.stdout(`${stdout}\n`)
    if (stderr !== undefined) host.stderr(`${stderr}\n`)
  }

const selectorOf = (args: Arguments): Effect.Effect<Selector | undefined, CommandError> => {
  const given = args.text("pod-selector") ?? ""
  if (given === "") return Effect.succeed(undefined)
  const parsed = parseLabelSelector(given)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(failure("--pod-selector=<pod_selector> must be a valid label selector"))
}

/** Empties one node, as far as it may. */
const emptyNode = Effect.fnUntraced(function* (host: Host, args: Arguments, name: string, dryRun: DryRun) {
  const cluster = drainCluster(host)
  const podSelector = yield* selectorOf(args)
  const seconds = args.int("skip-wait-for-delete-timeout")
  const flags = {
    force: args.isOn("force"),
    ignoreDaemonsets: args.isOn("ignore-daemonsets"),
    deleteEmptydirData: args.isOn("delete-emptydir-data"),
    messages,
    ...(podSelector === undefined ? {} : { podSelector }),
    ...(seconds === undefined ? {} : { skipWaitForDeleteTimeoutSeconds: seconds })
  }
  const plan = yield* planNodeDrain(cluster, name, flags)
  if (plan.errors.length > 0) return yield* new DrainFailed({ messages: plan.errors })
  if (plan.warnings.length > 0) host.stderr(`Warning: ${plan.warnings.join("; ")}\n`)
  const disableEviction = args.isOn("disable-eviction")
  if (dryRun === "client") {
    for (const pod of plan.evict) {
      host.stdout(`${disableEviction ? "deleting" : "evicting"} pod ${placeOf(pod)} (dry run)\n`)
    }
    return
  }
  const grace = args.int("grace-period") ?? -1
  const timeoutMs = parseDuration(args.text("timeout") ?? "0")
  const run = evictPods(cluster, plan.evict, {
    disableEviction,
    dryRun: dryRun === "server",
    timeoutMs,
    ...(grace < 0 ? {} : { gracePeriodSeconds: grace }),
    ...(seconds === undefined ? {} : { skipWaitForDeleteTimeoutSeconds: seconds }),
    onEvent: listener(host, dryRun)
  })
  const done = yield* Effect.result(run)
  if (Result.isSuccess(done)) return
  const pending = yield* planNodeDrain(cluster, name, flags)
  if (pending.evict.length > 0) {
    host.stderr(
      `There are pending pods in node ${JSON.stringify(name)} when an error occurred: ${done.failure.message}\n`
    )
    for (const { metadata } of pending.evict) host.stderr(`pod/${metadata.name ?? ""}\n`)
  }
  return yield* done.failure
})

/** `kubectl drain`. Upstream: kubectl/pkg/cmd/drain/drain.go. */
export const drain = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  yield* selectorOf(args)
  const nodes: ReadonlyArray<Node> = yield* nodesOf(host, "drain", args)
  yield* setNodes(host, nodes, true, dryRun)
  const remaining: Array<string> = []
  const fatal: Array<string> = []
  for (const { metadata } of nodes) {
    const { name = "" } = metadata
    const done = yield* Effect.result(emptyNode(host, args, name, dryRun))
    if (Result.isSuccess(done)) {
      host.stdout(`node/${name} drained${dryRunText(dryRun)}\n`)
      continue
    }
    const { failure: error } = done
    remaining.push(name)
    fatal.push(...(error._tag === "DrainFailed" ? error.messages : [error.message]))
    host.stderr(
      `error: unable to drain node ${JSON.stringify(name)} due to error: ${error.message}, continuing command...\n`
    )
  }
  if (remaining.length > 0) {
    host.stderr("There are pending nodes to be drained:\n")
    for (const name of remaining) host.stderr(` ${name}\n`)
    return yield* new CommandError({ text: fatal.join("\n") })
  }
})
