import type { KubeObject } from "@rollcall/api"
import { isValidLabelValue } from "@rollcall/api/validation"
import * as Effect from "effect/Effect"
import type { Arguments } from "../Arguments.ts"
import { commandError } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import { type DryRun, dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath, objectText } from "../Mapping.ts"
import { readManifests } from "../manifests.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { type MapChanges, readChanges, splitResourcesAndChanges } from "../pairs.ts"
import { patchObject } from "../request.ts"
import { failWithServerErrors, type Info, type Resolved, resolveArguments } from "../targets.ts"

type Texts = Readonly<Record<string, string>>

/** The differences between `label` and `annotate`. */
interface MetadataField {
  readonly name: "labels" | "annotations"
  readonly what: "label" | "annotation"
  readonly manager: string
  readonly refuseOverwrite: (existingEntries: ReadonlyArray<readonly [key: string, value: string]>) => string
  readonly verbOf: (before: Texts, after: Texts, overwrite: boolean) => string
}

const sameTexts = (left: Texts, right: Texts): boolean =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([key, value]) => right[key] === value)

const labelsField: MetadataField = {
  name: "labels",
  what: "label",
  manager: "kubectl-label",
  refuseOverwrite: (existingEntries) => {
    const texts = existingEntries.map(
      ([key, value]) => `'${key}' already has a value (${value}), and --overwrite is false`
    )
    return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
  },
  verbOf: (before, after, overwrite) => {
    if (sameTexts(before, after)) return "not labeled"
    return !overwrite && Object.keys(after).length < Object.keys(before).length ? "unlabeled" : "labeled"
  }
}

const annotationsField: MetadataField = {
  name: "annotations",
  what: "annotation",
  manager: "kubectl-annotate",
  refuseOverwrite: (existingEntries) => {
    const texts = existingEntries.map(([key, value]) => `'${key}' already has a value (${value})`)
    return `--overwrite is false but found the following declared annotation(s): ${texts.join("; ")}`
  },
  verbOf: () => "annotated"
}

const invalidValue = (set: Texts): string | undefined => {
  for (const [key, value] of Object.entries(set)) {
    const faults = isValidLabelValue(value)
    if (faults.length > 0) return `invalid label value: ${JSON.stringify(`${key}=${value}`)}: ${faults.join(",")}`
  }
  return undefined
}

const applyChanges = (before: Texts, { remove, set }: MapChanges): Texts => {
  const remaining = Object.entries(before).filter(([key]) => !remove.includes(key))
  return { ...Object.fromEntries(remaining), ...set }
}

/** Returns a merge patch with only the changed entries. */
const patchOf = (field: MetadataField, before: Texts, after: Texts, version: string | undefined): object => {
  const removedKeys = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const set = Object.entries(after).filter(([key, value]) => !Object.hasOwn(before, key) || before[key] !== value)
  const map = Object.fromEntries([...removedKeys.map((key) => [key, null] as const), ...set])
  return {
    metadata: {
      ...(Object.keys(map).length === 0 ? {} : { [field.name]: map }),
      ...(version === undefined ? {} : { resourceVersion: version })
    }
  }
}

const withTexts = (object: KubeObject, field: MetadataField, texts: Texts): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, [field.name]: texts }
})

const localInfos = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const { error, infos } = yield* readManifests(host, yield* discover(host), args)
  if (error !== undefined) return yield* error
  const resolved: Resolved = { infos, errors: [] }
  return resolved
})

const namesProblem = (args: Arguments, resources: ReadonlyArray<string>): string | undefined => {
  if (args.texts("filename").length > 0 || args.isOn("all") || args.has("selector") || args.has("field-selector")) {
    return undefined
  }
  if (resources.length === 0) return "one or more resources must be specified as <resource> <name> or <resource>/<name>"
  const isNamed = resources.length > 1 || resources[0]?.includes("/") === true
  return isNamed ? undefined : "resource(s) were provided, but no name was specified"
}

const writeChanges = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  field: MetadataField,
  info: Info,
  changes: MapChanges,
  dryRun: DryRun
) {
  const before: Texts = info.object.metadata[field.name] ?? {}
  const overwrite = args.isOn("overwrite")
  const existingEntries = Object.keys(changes.set).flatMap((key) =>
    Object.hasOwn(before, key) ? [[key, before[key] ?? ""] as const] : []
  )
  const conflicts = existingEntries.filter(([key, value]) => field.what === "annotation" || value !== changes.set[key])
  if (!overwrite && conflicts.length > 0) return yield* commandError(field.refuseOverwrite(conflicts))
  const after = applyChanges(before, changes)
  if (field.what === "label") {
    for (const key of changes.remove)
      if (!Object.hasOwn(before, key)) host.stdout(`label ${JSON.stringify(key)} not found.\n`)
  }
  const object = withTexts(info.object, field, after)
  if (dryRun === "client" || args.isOn("local")) return { object, verb: field.verbOf(before, after, overwrite) }
  const path = objectPath(info.mapping, info.namespace, info.name)
  const query = { dryRun: dryRun === "server", fieldManager: args.text("field-manager") ?? field.manager }
  const patch = patchOf(field, before, after, args.text("resource-version"))
  return { object: yield* patchObject(host, path, "merge", patch, query), verb: field.verbOf(before, after, overwrite) }
})

const printEntries = (host: Host, field: MetadataField, infos: ReadonlyArray<Info>): void => {
  for (const { mapping, name, namespace, object } of infos) {
    let indent = ""
    if (infos.length > 1) {
      const group = mapping.group === "" ? "" : `.${mapping.group}`
      host.stdout(
        `Listing ${field.name} for ${mapping.kind}.${mapping.version}${group}/${name}${namespace === "" ? "" : ` in namespace ${namespace}`}:\n`
      )
      indent = " "
    }
    for (const [key, value] of Object.entries(object.metadata[field.name] ?? {}).toSorted()) {
      host.stdout(`${indent}${key}=${value}\n`)
    }
  }
}

const command = (field: MetadataField) =>
  Effect.fnUntraced(function* (host: Host, args: Arguments) {
    const dryRun = yield* dryRunOf(args)
    const printer = yield* Effect.fromResult(objectPrinterOf(args.text("output")))
    const { changes: given, resources } = yield* Effect.fromResult(
      splitResourcesAndChanges(args.positional, field.what)
    )
    const changes = yield* Effect.fromResult(readChanges(given, field.what))
    const problem = field.what === "label" ? invalidValue(changes.set) : undefined
    if (problem !== undefined) return yield* commandError(problem)
    const unnamed = namesProblem(args, resources)
    if (given.length === 0 && !args.isOn("list"))
      return yield* commandError(`at least one ${field.what} update is required`)
    if (unnamed !== undefined) return yield* commandError(unnamed)
    const { errors, infos } = args.isOn("local")
      ? yield* localInfos(host, args)
      : yield* resolveArguments(host, resources, args)
    if (args.isOn("list")) printEntries(host, field, infos)
    else {
      for (const info of infos) {
        const { object, verb } = yield* writeChanges(host, args, field, info, changes, dryRun)
        if (printer === undefined)
          host.stdout(`${objectText(info.mapping, info.object)} ${verb}${dryRunText(dryRun)}\n`)
        else host.stdout(yield* Effect.fromResult(printer.print(object)))
      }
    }
    yield* failWithServerErrors(host, errors)
  })

/** `kubectl label`. Upstream: kubectl/pkg/cmd/label/label.go. */
export const label = command(labelsField)
/** `kubectl annotate`. Upstream: kubectl/pkg/cmd/annotate/annotate.go. */
export const annotate = command(annotationsField)
