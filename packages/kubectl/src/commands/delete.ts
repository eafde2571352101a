import type { KubeObject } from "@rollcall/api"
import { type ClusterError, isNotFound } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { CommandError, commandError, serverErrorText } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import { dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { kindText, type Mapping, objectPath } from "../Mapping.ts"
import { readManifests, withCommandError } from "../manifests.ts"
import { callObject, sendObject } from "../request.ts"
import { listObjects, readTargets, scopeOf, selectorsOf } from "../targets.ts"

/** kubectl waits for a week if --timeout is 0. */
const WEEK_MS = 168 * 3_600_000
/** The pause between two checks whether an object is deleted. */
const POLL_MS = 100
const NO_CONFIRMATION_WARNING =
  "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n"

interface DeletionTarget {
  readonly mapping: Mapping
  readonly namespace: string
  readonly name: string
  readonly source: string | undefined
}

/** Whether the arguments name objects, and not only a type. */
const isNamed = (args: Arguments): boolean => args.positional.length > 1 || args.positional[0]?.includes("/") === true

const readDeletionTargets = Effect.fnUntraced(function* (host: Host, args: Arguments, errors: Array<string>) {
  const mappings = yield* discover(host)
  const { everywhere, namespace } = scopeOf(host, args)
  if (args.texts("filename").length > 0) {
    const { error, infos } = yield* readManifests(host, mappings, args)
    if (error !== undefined) errors.push(error.text)
    return infos.map(
      ({ mapping, name, namespace: itemNamespace, source }): DeletionTarget => ({
        mapping,
        namespace: itemNamespace,
        name,
        source
      })
    )
  }
  const targets = yield* readTargets(mappings, args.positional)
  const found: Array<DeletionTarget> = []
  for (const { mapping, name } of targets) {
    if (name !== undefined) {
      found.push({ mapping, namespace, name, source: undefined })
      continue
    }
    const objects = yield* listObjects(host, mapping, everywhere ? undefined : namespace, selectorsOf(args))
    for (const { metadata } of objects) {
      found.push({ mapping, namespace: metadata.namespace ?? namespace, name: metadata.name ?? "", source: undefined })
    }
  }
  return found
})

/** Returns the uid of the deleted object, from the terminating object or from the Status in the response. */
const uidOf = (answer: KubeObject): string | undefined => {
  const { details } = answer as KubeObject & { readonly details?: { readonly uid?: string } }
  return answer.kind === "Status" ? details?.uid : answer.metadata.uid
}

const waitForDeletion = Effect.fnUntraced(function* (
  host: Host,
  { mapping, name, namespace }: DeletionTarget,
  uid: string | undefined,
  deadlineMs: number
) {
  const path = objectPath(mapping, namespace, name)
  for (;;) {
    const found = yield* Effect.result(callObject(host, { method: "GET", path }))
    if (Result.isFailure(found)) {
      if (isNotFound(found.failure)) return undefined
      return serverErrorText(found.failure, host.server)
    }
    if (uid !== undefined && found.success.metadata.uid !== uid) return undefined
    if ((yield* Clock.currentTimeMillis) >= deadlineMs) {
      return `error: timed out waiting for the condition on ${mapping.plural}/${name}`
    }
    yield* Effect.sleep(POLL_MS)
  }
})

const gracePeriodSecondsOf = (args: Arguments): number => {
  const force = args.isOn("force")
  const given = args.isOn("now") ? 1 : (args.int("grace-period") ?? -1)
  if (force && given < 0) return 0
  // Without --force a pod is not deleted at once, because it may still be running: 0 becomes 1, as upstream.
  return given === 0 && !force ? 1 : given
}

const argumentProblem = (args: Arguments): string | undefined => {
  if (args.texts("filename").length > 0) return undefined
  if (args.positional.length === 0) return "You must provide one or more resources by argument or filename."
  const selects = args.isOn("all") || args.has("selector") || args.has("field-selector")
  if (!isNamed(args) && !selects) return "resource(s) were provided, but no name was specified"
  if (isNamed(args) && (args.text("selector") || args.text("field-selector")))
    return "name cannot be provided when a selector is specified"
  if (isNamed(args) && args.isOn("all-namespaces"))
    return "a resource cannot be retrieved by name across all namespaces"
  return undefined
}

const askForConfirmation = Effect.fnUntraced(function* (host: Host, targets: ReadonlyArray<DeletionTarget>) {
  host.stdout(`You are about to delete the following ${targets.length} resource(s):\n`)
  for (const { mapping, name } of targets) host.stdout(`${kindText(mapping)}/${name}\n`)
  host.stdout("Do you want to continue? (y/n): ")
  const answer = (yield* withCommandError(host.stdin)).split("\n")[0]?.trim().toLowerCase()
  if (answer === "y" || answer === "yes") return true
  host.stdout("deletion is cancelled\n")
  return false
})

const errorText = (host: Host, { source }: DeletionTarget, error: ClusterError): string =>
  serverErrorText(error, host.server, source === undefined ? "" : `error when deleting ${JSON.stringify(source)}`)

/** `kubectl delete`. Upstream: kubectl/pkg/cmd/delete/delete.go. */
export const remove = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const path = args.text("raw")
  if (path !== undefined) {
    const answer = yield* host.api.raw({ method: "DELETE", path })
    host.stdout(answer.body)
    return
  }
  const dryRun = yield* dryRunOf(args)
  const wrong = argumentProblem(args)
  if (wrong !== undefined) return yield* commandError(wrong)
  const force = args.isOn("force")
  const gracePeriodSeconds = gracePeriodSecondsOf(args)
  const errors: Array<string> = []
  const targets = yield* readDeletionTargets(host, args, errors)
  if (args.isOn("interactive") && !(yield* askForConfirmation(host, targets))) return
  if (force && gracePeriodSeconds === 0) host.stderr(NO_CONFIRMATION_WARNING)

  const cascade = args.text("cascade") ?? "background"
  const propagationPolicy = { background: "Background", foreground: "Foreground", orphan: "Orphan" }[cascade]
  if (propagationPolicy === undefined) {
    return yield* commandError(`invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`)
  }
  const options = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy,
    ...(gracePeriodSeconds < 0 ? {} : { gracePeriodSeconds: gracePeriodSeconds }),
    ...(dryRun === "server" ? { dryRun: ["All"] } : {})
  }
  const deletedTargets: Array<{ readonly item: DeletionTarget; readonly uid: string | undefined }> = []
  for (const item of targets) {
    const { mapping, name, namespace } = item
    if (dryRun !== "client") {
      const done = yield* Effect.result(sendObject(host, "DELETE", objectPath(mapping, namespace, name), options))
      if (Result.isFailure(done)) {
        const ignored = isNotFound(done.failure) && (args.isOn("ignore-not-found") || args.isOn("all"))
        if (!ignored) errors.push(errorText(host, item, done.failure))
        continue
      }
      deletedTargets.push({ item, uid: uidOf(done.success) })
    }
    const verb = `${force && gracePeriodSeconds === 0 ? "force " : ""}deleted${dryRunText(dryRun)}`
    host.stdout(
      args.text("output") === "name"
        ? `${kindText(mapping)}/${name}\n`
        : `${kindText(mapping)} ${JSON.stringify(name)} ${verb}\n`
    )
  }
  if (targets.length === 0 && errors.length === 0 && !args.isOn("ignore-not-found")) host.stdout("No resources found\n")
  if (args.isOn("wait", true) && dryRun === "none") {
    const timeoutMs = args.duration("timeout") || WEEK_MS
    const deadlineMs = (yield* Clock.currentTimeMillis) + timeoutMs
    for (const { item, uid } of deletedTargets) {
      const timeoutError = yield* waitForDeletion(host, item, uid, deadlineMs)
      if (timeoutError !== undefined) errors.push(timeoutError)
    }
  }
  if (errors.length > 0) return yield* new CommandError({ text: errors.join("\n") })
})
