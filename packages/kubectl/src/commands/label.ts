import type { KubeObject } from "@rollcall/api"
import { isValidLabelValue } from "@rollcall/api/validation"
import * as Effect from "effect/Effect"
import type { Arguments } from "../Arguments.ts"
import { failure } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import { type DryRun, dryRunOf, dryRunText } from "../dryRun.ts"
import type { Host } from "../Host.ts"
import { objectPath, objectText } from "../Mapping.ts"
import { readManifests } from "../manifests.ts"
import { objectPrinterOf } from "../output/objectPrinter.ts"
import { type MapChanges, readChanges, splitPairs } from "../pairs.ts"
import { patchObject } from "../request.ts"
import { failWith, type Info, type Resolved, resolveArguments } from "../targets.ts"

type Texts = Readonly<Record<string, string>>

/** The differences between `label` and `annotate`. */
interface Style {
  readonly field: "labels" | "annotations"
  readonly what: "label" | "annotation"
  readonly manager: string
  readonly refuseOverwrite: (taken: ReadonlyArray<readonly [key: string, value: string]>) => string
  readonly done: (before: Texts, after: Texts, overwrite: boolean) => string
}

const sameTexts = (left: Texts, right: Texts): boolean =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([key, value]) => right[key] === value)

const labels: Style = {
  field: "labels",
  what: "label",
  manager: "kubectl-label",
  refuseOverwrite: (taken) => {
    const texts = taken.map(([key, value]) => `'${key}' already has a value (${value}), and --overwrite is false`)
    return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`
  },
  done: (before, after, overwrite) => {
    if (sameTexts(before, after)) return "not labeled"
    return !overwrite && Object.keys(after).length < Object.keys(before).length ? "unlabeled" : "labeled"
  }
}

const annotations: Style = {
  field: "annotations",
  what: "annotation",
  manager: "kubectl-annotate",
  refuseOverwrite: (taken) => {
    const texts = taken.map(([key, value]) => `'${key}' already has a value (${value})`)
    return `--overwrite is false but found the following declared annotation(s): ${texts.join("; ")}`
  },
  done: () => "annotated"
}

const invalidValue = (set: Texts): string | undefined => {
  for (const [key, value] of Object.entries(set)) {
    const faults = isValidLabelValue(value)
    if (faults.length > 0) return `invalid label value: ${JSON.stringify(`${key}=${value}`)}: ${faults.join(",")}`
  }
  return undefined
}

const changed = (before: Texts, { remove, set }: MapChanges): Texts => {
  const kept = Object.entries(before).filter(([key]) => !remove.includes(key))
  return { ...Object.fromEntries(kept), ...set }
}

/** Returns a merge patch with only the changed entries. */
const patchOf = (style: Style, before: Texts, after: Texts, version: string | undefined): object => {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const set = Object.entries(after).filter(([key, value]) => before[key] !== value)
  const map = Object.fromEntries([...gone.map((key) => [key, null] as const), ...set])
  return {
    metadata: {
      ...(Object.keys(map).length === 0 ? {} : { [style.field]: map }),
      ...(version === undefined ? {} : { resourceVersion: version })
    }
  }
}

const withTexts = (object: KubeObject, style: Style, texts: Texts): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, [style.field]: texts }
})

const localInfos = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const { error, infos } = yield* readManifests(host, yield* discover(host), args)
  if (error !== undefined) return yield* error
  const resolved: Resolved = { infos, errors: [] }
  return resolved
})

const checkNamed = (args: Arguments, resources: ReadonlyArray<string>): string | undefined => {
  if (args.texts("filename").length > 0 || args.isOn("all") || args.has("selector") || args.has("field-selector")) {
    return undefined
  }
  if (resources.length === 0) return "one or more resources must be specified as <resource> <name> or <resource>/<name>"
  const isNamed = resources.length > 1 || resources[0]?.includes("/") === true
  return isNamed ? undefined : "resource(s) were provided, but no name was specified"
}

const write = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  style: Style,
  info: Info,
  changes: MapChanges,
  dryRun: DryRun
) {
  const before: Texts = info.object.metadata[style.field] ?? {}
  const overwrite = args.isOn("overwrite")
  const taken = Object.keys(changes.set).flatMap((key) =>
    Object.hasOwn(before, key) ? [[key, before[key] ?? ""] as const] : []
  )
  const clash = taken.filter(([key, value]) => style.what === "annotation" || value !== changes.set[key])
  if (!overwrite && clash.length > 0) return yield* failure(style.refuseOverwrite(clash))
  const after = changed(before, changes)
  if (style.what === "label") {
    for (const key of changes.remove)
      if (!Object.hasOwn(before, key)) host.stdout(`label ${JSON.stringify(key)} not found.\n`)
  }
  const object = withTexts(info.object, style, after)
  if (dryRun === "client" || args.isOn("local")) return { object, words: style.done(before, after, overwrite) }
  const path = objectPath(info.mapping, info.namespace, info.name)
  const query = { dryRun: dryRun === "server", fieldManager: args.text("field-manager") ?? style.manager }
  const patch = patchOf(style, before, after, args.text("resource-version"))
  return { object: yield* patchObject(host, path, "merge", patch, query), words: style.done(before, after, overwrite) }
})

const list = (host: Host, style: Style, infos: ReadonlyArray<Info>): void => {
  for (const { mapping, name, namespace, object } of infos) {
    let indent = ""
    if (infos.length > 1) {
      const group = mapping.group === "" ? "" : `.${mapping.group}`
      host.stdout(
        `Listing ${style.field} for ${mapping.kind}.${mapping.version}${group}/${name}${namespace === "" ? "" : ` in namespace ${namespace}`}:\n`
      )
      indent = " "
    }
    for (const [key, value] of Object.entries(object.metadata[style.field] ?? {}).toSorted()) {
      host.stdout(`${indent}${key}=${value}\n`)
    }
  }
}

const command = (style: Style) =>
  Effect.fnUntraced(function* (host: Host, args: Arguments) {
    const dryRun = yield* dryRunOf(args)
    const printer = yield* Effect.fromResult(objectPrinterOf(args.text("output")))
    const { changes: given, resources } = yield* Effect.fromResult(splitPairs(args.positional, style.what))
    const changes = yield* Effect.fromResult(readChanges(given, style.what))
    const wrong = style.what === "label" ? invalidValue(changes.set) : undefined
    if (wrong !== undefined) return yield* failure(wrong)
    const unnamed = checkNamed(args, resources)
    if (given.length === 0 && !args.isOn("list")) return yield* failure(`at least one ${style.what} update is required`)
    if (unnamed !== undefined) return yield* failure(unnamed)
    const { errors, infos } = args.isOn("local")
      ? yield* localInfos(host, args)
      : yield* resolveArguments(host, resources, args)
    if (args.isOn("list")) list(host, style, infos)
    else {
      for (const info of infos) {
        const { object, words } = yield* write(host, args, style, info, changes, dryRun)
        if (printer === undefined)
          host.stdout(`${objectText(info.mapping, info.object)} ${words}${dryRunText(dryRun)}\n`)
        else host.stdout(yield* Effect.fromResult(printer.print(object)))
      }
    }
    yield* failWith(host, errors)
  })

/** `kubectl label`. Upstream: kubectl/pkg/cmd/label/label.go. */
export const label = command(labels)
/** `kubectl annotate`. Upstream: kubectl/pkg/cmd/annotate/annotate.go. */
export const annotate = command(annotations)
