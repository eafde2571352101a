import { type Node, type Pod, parseLabelSelector, type Selector } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import {
  type DrainEvent,
  DrainFailed,
  type DrainMessages,
  drainMessages,
  evictPods,
  type PlanOptions,
  planNodeDrain
} from "@rollcall/drain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { CommandError, commandError, serverErrorText } from "../CommandError.ts"
import { evictionVersion } from "../discovery.ts"
import { drainCluster } from "../drainCluster.ts"
import { type DryRun, dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { nodesOf, setNodesUnschedulable } from "./cordon.ts"

/** kubectl v1.32 repeats the start of this message. */
const messages: DrainMessages = {
  ...drainMessages,
  unmanagedFatal: "cannot delete Pods that declare no controller (use --force to override)"
}

const podKeyOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

/** Returns the line for an event, and whether it goes to stdout or stderr. */
const outputOf = (event: DrainEvent, dryRun: DryRun): { readonly stdout?: string; readonly stderr?: string } => {
  const { metadata } = event.pod
  const pod = JSON.stringify(metadata.name)
  const namespace = JSON.stringify(metadata.namespace)
  switch (event.type) {
    case "evicting":
      return { stdout: `evicting pod ${podKeyOf(event.pod)}${dryRunText(dryRun)}` }
    case "deleting":
      return dryRun === "none" ? {} : { stdout: `deleting pod ${podKeyOf(event.pod)}${dryRunText(dryRun)}` }
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

const printEvents =
  (host: Host, dryRun: DryRun) =>
  (event: DrainEvent): void => {
    const { stderr, stdout } = outputOf(event, dryRun)
    if (stdout !== undefined) host.stdout(`${stdout}\n`)
    if (stderr !== undefined) host.stderr(`${stderr}\n`)
  }

const selectorOf = (args: Arguments): Effect.Effect<Selector | undefined, CommandError> => {
  const given = args.text("pod-selector") ?? ""
  if (given === "") return Effect.succeed(undefined)
  const parsed = parseLabelSelector(given)
  return Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Effect.fail(commandError("--pod-selector=<pod_selector> must be a valid label selector"))
}

const planOptionsOf = Effect.fnUntraced(function* (args: Arguments) {
  const podSelector = yield* selectorOf(args)
  const seconds = args.int("skip-wait-for-delete-timeout")
  const flags: PlanOptions = {
    force: args.isOn("force"),
    ignoreDaemonsets: args.isOn("ignore-daemonsets"),
    deleteEmptydirData: args.isOn("delete-emptydir-data"),
    messages,
    ...(podSelector === undefined ? {} : { podSelector }),
    ...(seconds === undefined ? {} : { skipWaitForDeleteTimeoutSeconds: seconds })
  }
  return flags
})

/** Prints the pods that remain after a failed drain. */
const printPendingPods = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  name: string,
  error: DrainFailed | ClusterError
) {
  const cluster = drainCluster(host, { pageSize: args.text("chunk-size") })
  const pending = yield* Effect.result(planNodeDrain(cluster, name, yield* planOptionsOf(args)))
  const pods = Result.isSuccess(pending) ? pending.success.evict : []
  if (pods.length > 0) {
    host.stderr(`There are pending pods in node ${JSON.stringify(name)} when an error occurred: ${error.message}\n`)
    for (const { metadata } of pods) host.stderr(`pod/${metadata.name ?? ""}\n`)
  }
  const errors = Result.isSuccess(pending) ? pending.success.errors : [pending.failure.message]
  if (errors.length > 0) {
    // kubectl ends this message without a line end.
    const { message } = new DrainFailed({ messages: errors })
    host.stderr(`Following errors occurred while getting the list of pods to delete:\n${message}`)
  }
})

/** Evicts pods, or deletes them with --disable-eviction or if the server does not support evictions. */
const evict = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  pods: ReadonlyArray<Pod>,
  dryRun: DryRun,
  { skipWaitForDeleteTimeoutSeconds: seconds }: PlanOptions
) {
  if (pods.length === 0) return
  const version = args.isOn("disable-eviction") ? undefined : yield* evictionVersion(host)
  const grace = args.int("grace-period") ?? -1
  const cluster = drainCluster(host, version === undefined ? {} : { evictionVersion: version })
  yield* evictPods(cluster, pods, {
    disableEviction: version === undefined,
    dryRun: dryRun === "server",
    timeoutMs: args.duration("timeout") ?? 0,
    ...(grace < 0 ? {} : { gracePeriodSeconds: grace }),
    ...(seconds === undefined ? {} : { skipWaitForDeleteTimeoutSeconds: seconds }),
    onEvent: printEvents(host, dryRun)
  })
})

/** Why a node is not drained. */
interface NodeFailure {
  readonly message: string
  /** The message if it is the only error. */
  readonly alone: string
  /** The message in a list of errors. */
  readonly among: string
}

/** Only a single error gets the prefix `error: `; errors in a list do not. Upstream: cmd/util/helpers.go, checkErr. */
const nodeFailure =
  (host: Host, isListed: boolean) =>
  (error: DrainFailed | ClusterError | CommandError): NodeFailure => {
    const { message } = error
    if (error._tag === "CommandError") return { message, alone: message, among: message }
    const answer = error._tag === "DrainFailed" ? error.answer : error
    if (answer !== undefined) {
      const text = serverErrorText(answer, host.server)
      return { message, alone: text, among: text }
    }
    const listed = error._tag === "DrainFailed" && isListed
    return { message, alone: listed ? error.messages.join("\n") : `error: ${message}`, among: message }
  }

/** Drains one node. */
const drainNode = Effect.fnUntraced(function* (host: Host, args: Arguments, name: string, dryRun: DryRun) {
  const flags = yield* Effect.mapError(planOptionsOf(args), nodeFailure(host, true))
  const plan = yield* planNodeDrain(drainCluster(host, { pageSize: args.text("chunk-size") }), name, flags).pipe(
    Effect.mapError(nodeFailure(host, true))
  )
  if (plan.errors.length > 0) {
    return yield* Effect.fail(nodeFailure(host, true)(new DrainFailed({ messages: plan.errors })))
  }
  if (plan.warnings.length > 0) host.stderr(`Warning: ${plan.warnings.join("; ")}\n`)
  if (dryRun === "client") {
    for (const pod of plan.evict) host.stdout(`evicting pod ${podKeyOf(pod)} (dry run)\n`)
    return
  }
  yield* evict(host, args, plan.evict, dryRun, flags).pipe(
    Effect.tapError((error) => printPendingPods(host, args, name, error)),
    Effect.mapError(nodeFailure(host, !args.isOn("disable-eviction")))
  )
})

/** `kubectl drain`. Upstream: kubectl/pkg/cmd/drain/drain.go. */
export const drain = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  yield* selectorOf(args)
  const nodes: ReadonlyArray<Node> = yield* nodesOf(host, "drain", args)
  yield* setNodesUnschedulable(host, nodes, true, dryRun)
  const failures: Array<NodeFailure & { readonly name: string }> = []
  for (const { metadata } of nodes) {
    const { name = "" } = metadata
    const done = yield* Effect.result(drainNode(host, args, name, dryRun))
    if (Result.isSuccess(done)) {
      host.stdout(`node/${name} drained${dryRunText(dryRun)}\n`)
      continue
    }
    const { failure: error } = done
    failures.push({ name, ...error })
    const node = JSON.stringify(name)
    host.stderr(`error: unable to drain node ${node} due to error: ${error.message}, continuing command...\n`)
  }
  if (failures.length === 0) return
  host.stderr("There are pending nodes to be drained:\n")
  for (const { name } of failures) host.stderr(` ${name}\n`)
  const [first] = failures
  const texts = failures.length === 1 && first !== undefined ? [first.alone] : failures.map(({ among }) => among)
  return yield* new CommandError({ text: texts.join("\n") })
})
