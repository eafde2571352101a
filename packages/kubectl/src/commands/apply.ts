import { type KubeObject, matchesLabelSelector, parseLabelSelector } from "@rollcall/api"
import { type ClusterError, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { lastAppliedAnnotation, threeWayPatch, withLastApplied } from "../applyPatch.ts"
import { CommandError, commandError, serverErrorText } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import { type DryRun, dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { collectionPath, objectPath, objectText } from "../Mapping.ts"
import { type Manifest, readManifests } from "../manifests.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { callObject, patchObject, sendObject, type WriteQuery } from "../request.ts"

const fieldValidations: Readonly<Record<string, string>> = {
  strict: "Strict",
  true: "Strict",
  warn: "Warn",
  ignore: "Ignore",
  false: "Ignore"
}

const missingAnnotationWarning = (plural: string, name: string): string =>
  `Warning: resource ${plural}/${name} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`

interface Applied {
  readonly object: KubeObject
  readonly verb: string
}

const applyOnServer = (host: Host, args: Arguments, manifest: Manifest, query: WriteQuery) => {
  const { mapping, name, namespace, object } = manifest
  const force = args.isOn("force-conflicts")
  const fieldManager = args.text("field-manager") ?? "kubectl"
  return Effect.map(
    patchObject(host, objectPath(mapping, namespace, name), "apply", object, { ...query, fieldManager, force }),
    (applied): Applied => ({ object: applied, verb: "serverside-applied" })
  )
}

const applyOnClient = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  manifest: Manifest,
  dryRun: DryRun,
  query: WriteQuery
) {
  const { mapping, name, namespace } = manifest
  const fieldManager = args.text("field-manager") ?? "kubectl-client-side-apply"
  const modified = withLastApplied(manifest.object)
  const path = objectPath(mapping, namespace, name)
  const found = yield* Effect.result(callObject(host, { method: "GET", path }))
  if (Result.isFailure(found)) {
    if (!isNotFound(found.failure)) return yield* found.failure
    if (dryRun === "client") return { object: modified, verb: "created" }
    const collection = collectionPath(mapping, namespace)
    return {
      object: yield* sendObject(host, "POST", collection, modified, { ...query, fieldManager }),
      verb: "created"
    }
  }
  const current = found.success
  if (current.metadata.annotations?.[lastAppliedAnnotation] === undefined) {
    host.stderr(missingAnnotationWarning(mapping.plural, name))
  }
  if (dryRun === "client") return { object: modified, verb: "configured" }
  const patch = threeWayPatch(mapping, current, modified)
  if (Result.isFailure(patch)) return yield* commandError(patch.failure)
  const { body, type } = patch.success
  if (Object.keys(body).length === 0) return { object: current, verb: "unchanged" }
  return { object: yield* patchObject(host, path, type, body, { ...query, fieldManager }), verb: "configured" }
})

/** `kubectl apply -f`. Upstream: kubectl/pkg/cmd/apply/apply.go. */
export const apply = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const dryRun = yield* dryRunOf(args)
  const serverSide = args.isOn("server-side")
  if (args.texts("filename").length === 0) return yield* commandError("must specify one of -f and -k")
  if (args.positional.length > 0) return yield* commandError(`Unexpected args: [${args.positional.join(" ")}]`)
  if (serverSide && dryRun === "client") {
    return yield* commandError(
      "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)"
    )
  }
  if (args.isOn("force-conflicts") && !serverSide)
    return yield* commandError("--force-conflicts only works with --server-side")
  const printer = yield* Effect.fromResult(
    objectPrinterOf(args.text("output"), { showManagedFields: args.isOn("show-managed-fields") })
  )
  const selector = parseLabelSelector(args.text("selector") ?? "")
  if (Result.isFailure(selector)) return yield* commandError(selector.failure.message)
  const fieldValidation = fieldValidations[args.text("validate") ?? "strict"]
  if (fieldValidation === undefined) {
    return yield* commandError(`invalid - validate option ${JSON.stringify(args.text("validate"))}`)
  }
  const query: WriteQuery = { dryRun: dryRun === "server", fieldValidation }
  const { error, infos } = yield* readManifests(host, yield* discover(host), args)
  const errors: Array<string> = []
  for (const manifest of infos) {
    if (!matchesLabelSelector(selector.success, manifest.object.metadata.labels)) continue
    const step: Effect.Effect<Applied, ClusterError | CommandError> = serverSide
      ? applyOnServer(host, args, manifest, query)
      : applyOnClient(host, args, manifest, dryRun, query)
    const outcome = yield* Effect.result(step)
    if (Result.isFailure(outcome)) {
      const { failure: cause } = outcome
      errors.push(cause._tag === "CommandError" ? cause.text : serverErrorText(cause, host.server))
      continue
    }
    const { object, verb } = outcome.success
    if (printer === undefined) host.stdout(`${objectText(manifest.mapping, object)} ${verb}${dryRunText(dryRun)}\n`)
    else host.stdout(yield* Effect.fromResult(printer.print(object)))
  }
  if (error !== undefined) errors.push(error.text)
  if (infos.length === 0 && errors.length === 0) return yield* commandError("no objects passed to apply")
  if (errors.length > 0) return yield* new CommandError({ text: errors.join("\n") })
})
