import type { KubeObject, Table } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { CommandError, commandError, serverErrorText, usageError } from "../CommandError.ts"
import { discover } from "../discovery.ts"
import type { Host } from "../Host.ts"
import { collectionPath, kindText, type Mapping, objectPath } from "../Mapping.ts"
import { readManifests } from "../manifests.ts"
import { type ObjectPrinter, objectPrinterOf } from "../output/objectPrinter.ts"
import { sorterOf } from "../output/sortBy.ts"
import { TableText } from "../output/TableText.ts"
import { call, TABLE_ACCEPT } from "../request.ts"
import {
  listErrorOf,
  listObjects,
  readTargets,
  refuseNamesWithSelector,
  scopeOf,
  selectorsOf,
  type Target
} from "../targets.ts"
import { watchTarget } from "./watch.ts"

const NO_TYPE_MESSAGE = `You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.\n\n`

const isNotFound = (error: ClusterError): boolean => error._tag === "ApiError" && error.code === 404

/** The server's response for one target. */
interface TargetResult<A> {
  readonly mapping: Mapping
  readonly result: A
}

interface Fetched<A> {
  readonly parts: ReadonlyArray<TargetResult<A>>
  readonly errors: ReadonlyArray<ClusterError>
}

interface PagedTable extends Table {
  readonly metadata: Table["metadata"]
}

/** Joins the pages of a table. */
const fetchTable = Effect.fnUntraced(function* (host: Host, path: string, query: Readonly<Record<string, string>>) {
  const pages: Array<PagedTable> = []
  let next: string | undefined
  do {
    const continueQuery: Record<string, string> = next === undefined ? {} : { continue: next }
    const page = (yield* call(host, {
      method: "GET",
      path,
      query: { ...query, ...continueQuery },
      headers: { accept: TABLE_ACCEPT }
    })) as PagedTable
    pages.push(page)
    next = page.metadata?.continue || undefined
  } while (next !== undefined)
  return pages
})

/** Requests each target in order; continues after an error of one. */
const fetchAll = <A>(
  targets: ReadonlyArray<Target>,
  fetch: (target: Target) => Effect.Effect<A, ClusterError>
): Effect.Effect<Fetched<A>> =>
  Effect.gen(function* () {
    const parts: Array<TargetResult<A>> = []
    const errors: Array<ClusterError> = []
    for (const target of targets) {
      const answer = yield* Effect.result(fetch(target))
      if (Result.isSuccess(answer)) parts.push({ mapping: target.mapping, result: answer.success })
      else errors.push(answer.failure)
    }
    return { parts, errors }
  })

const pathOf = (host: Host, args: Arguments, { mapping, name }: Target): string => {
  const { everywhere, namespace } = scopeOf(host, args)
  if (name === undefined) return collectionPath(mapping, everywhere ? undefined : namespace)
  return objectPath(mapping, namespace, name, args.text("subresource") ?? "")
}

const sameResource = (left: Mapping, right: Mapping): boolean =>
  left.plural === right.plural && left.group === right.group

const tableTextFor = (args: Arguments, mapping: Mapping, withKind: boolean): TableText =>
  new TableText({
    wide: args.text("output") === "wide",
    noHeaders: args.isOn("no-headers"),
    withNamespace: args.isOn("all-namespaces") && mapping.namespaced,
    ...(withKind ? { kind: kindText(mapping) } : {}),
    showLabels: args.isOn("show-labels"),
    labelColumns: args.texts("label-columns")
  })

/** Prints one table for each resource, with blank lines between them. Returns the number of rows. */
const printTables = (host: Host, args: Arguments, parts: ReadonlyArray<TargetResult<ReadonlyArray<Table>>>): number => {
  const filled = parts.filter(({ result }) => result.some(({ rows }) => (rows ?? []).length > 0))
  const [first] = filled
  if (first === undefined) return 0
  const hasSeveralResources = parts.some(({ mapping }) => !sameResource(mapping, first.mapping))
  let current: { readonly mapping: Mapping; readonly table: TableText } | undefined
  for (const { mapping, result } of filled) {
    if (current === undefined || !sameResource(current.mapping, mapping)) {
      if (current !== undefined) host.stdout(`${current.table.flush()}\n`)
      current = { mapping, table: tableTextFor(args, mapping, hasSeveralResources || args.isOn("show-kind")) }
    }
    for (const table of result) current.table.add(table)
  }
  if (current !== undefined) host.stdout(current.table.flush())
  return filled.length
}

const listOf = (items: ReadonlyArray<KubeObject>): KubeObject => {
  const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items }
  return list
}

const printObjects = (
  host: Host,
  printer: ObjectPrinter,
  objects: ReadonlyArray<KubeObject>,
  isSingle: boolean
): Effect.Effect<void, CommandError> =>
  Effect.gen(function* () {
    const [only] = objects
    const printed = printer.oneByOne ? objects : [isSingle && only !== undefined ? only : listOf(objects)]
    for (const object of printed) host.stdout(yield* Effect.fromResult(printer.print(object)))
  })

const printNoResources = (host: Host, args: Arguments, targets: ReadonlyArray<Target>): void => {
  const { everywhere, namespace } = scopeOf(host, args)
  const inNamespace = !everywhere && targets.every(({ mapping }) => mapping.namespaced)
  host.stderr(inNamespace ? `No resources found in ${namespace} namespace.\n` : "No resources found\n")
}

const failWithErrors = (
  host: Host,
  args: Arguments,
  errors: ReadonlyArray<ClusterError>
): Effect.Effect<void, CommandError> => {
  const reportedErrors = args.isOn("ignore-not-found") ? errors.filter((error) => !isNotFound(error)) : errors
  if (reportedErrors.length === 0) return Effect.void
  return Effect.fail(
    new CommandError({ text: reportedErrors.map((error) => serverErrorText(error, host.server)).join("\n") })
  )
}

const targetsOf = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const mappings = yield* discover(host)
  if (args.texts("filename").length === 0) {
    return { targets: yield* readTargets(mappings, args.positional), manifestError: undefined }
  }
  const { error, infos } = yield* readManifests(host, mappings, args)
  if (infos.length === 0 && error !== undefined) return yield* error
  return { targets: infos.map(({ mapping, name }): Target => ({ mapping, name })), manifestError: error }
})

const printRawPath = Effect.fnUntraced(function* (host: Host, path: string) {
  const answer = yield* host.api.raw({ method: "GET", path })
  if (answer.code >= 400) yield* call(host, { method: "GET", path })
  host.stdout(answer.body)
})

const argumentProblem = (args: Arguments): CommandError | undefined => {
  const [types = "", ...names] = args.positional
  const filled = args.texts("filename").length > 0
  if (args.positional.length === 0 && !filled) {
    const { text: message } = usageError("get", "Required resource not specified.")
    return new CommandError({ text: NO_TYPE_MESSAGE + message })
  }
  if (args.isOn("all-namespaces") && (names.length > 0 || types.includes("/"))) {
    return commandError("a resource cannot be retrieved by name across all namespaces")
  }
  if ((args.isOn("watch") || args.isOn("watch-only")) && types.includes(",")) {
    return commandError("you may only specify a single resource type")
  }
  return undefined
}

type Sort = <A>(items: ReadonlyArray<A>, objectOf: (item: A) => unknown) => ReadonlyArray<A>

interface GetResult {
  readonly errors: ReadonlyArray<ClusterError>
  /** The number of printed rows. */
  readonly count: number
}

const isNamed = (targets: ReadonlyArray<Target>): boolean => targets.some(({ name }) => name !== undefined)

const sortTables = (pages: ReadonlyArray<Table>, sort: Sort | undefined): ReadonlyArray<Table> => {
  const [first] = pages
  if (sort === undefined || first === undefined) return pages
  const rows = pages.flatMap((page) => page.rows ?? [])
  return [{ ...first, rows: sort(rows, ({ object }) => object) }]
}

const getTables = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  targets: ReadonlyArray<Target>,
  sort: Sort | undefined
) {
  // To sort by fields that are not columns, the rows must include their objects.
  const includeObject: Record<string, string> = sort === undefined ? {} : { includeObject: "Object" }
  const listing = { ...selectorsOf(args), limit: args.text("chunk-size") ?? "500", ...includeObject }
  const { errors, parts } = yield* fetchAll(targets, (target) => {
    const path = pathOf(host, args, target)
    if (target.name !== undefined) return fetchTable(host, path, includeObject)
    return Effect.mapError(
      fetchTable(host, path, isNamed(targets) ? includeObject : listing),
      listErrorOf(target.mapping, listing)
    )
  })
  const sorted = parts.map(({ mapping, result }) => ({ mapping, result: sortTables(result, sort) }))
  const getResult: GetResult = { errors, count: printTables(host, args, sorted) }
  return getResult
})

const getObjects = Effect.fnUntraced(function* (
  host: Host,
  args: Arguments,
  targets: ReadonlyArray<Target>,
  printer: ObjectPrinter,
  sort: Sort | undefined
) {
  const { everywhere, namespace } = scopeOf(host, args)
  const { errors, parts } = yield* fetchAll(
    targets,
    (target): Effect.Effect<ReadonlyArray<KubeObject>, ClusterError> =>
      target.name === undefined
        ? listObjects(host, target.mapping, everywhere ? undefined : namespace, selectorsOf(args))
        : Effect.map(call(host, { method: "GET", path: pathOf(host, args, target) }), (object) => [
            object as KubeObject
          ])
  )
  const found = parts.flatMap(({ result }) => result)
  const objects = sort === undefined ? found : sort(found, (object) => object)
  const isEmpty = objects.length === 0 && (isNamed(targets) || errors.length > 0)
  if (!isEmpty) yield* printObjects(host, printer, objects, targets.length === 1 && isNamed(targets))
  const getResult: GetResult = { errors, count: 1 }
  return getResult
})

/** `kubectl get`. Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go. */
export const get = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  const path = args.text("raw")
  if (path !== undefined) return yield* printRawPath(host, path)
  const problem = argumentProblem(args)
  if (problem !== undefined) return yield* problem
  const printer = yield* Effect.fromResult(
    objectPrinterOf(args.text("output"), { showManagedFields: args.isOn("show-managed-fields") })
  )
  const { manifestError, targets } = yield* targetsOf(host, args)
  yield* refuseNamesWithSelector(targets, args)
  const watching = args.isOn("watch") || args.isOn("watch-only")
  if (watching) {
    const [target, ...others] = targets
    if (target !== undefined && others.length === 0) {
      const table = printer === undefined ? tableTextFor(args, target.mapping, args.isOn("show-kind")) : undefined
      return yield* watchTarget(host, args, target, {
        path: pathOf(host, args, { ...target, name: undefined }),
        printer,
        table
      })
    }
  }
  const sortBy = args.text("sort-by") ?? ""
  const sort = sortBy === "" ? undefined : yield* Effect.fromResult(sorterOf(sortBy))
  const { count, errors } =
    printer === undefined
      ? yield* getTables(host, args, targets, sort)
      : yield* getObjects(host, args, targets, printer, sort)
  if (count === 0 && errors.length === 0) printNoResources(host, args, targets)
  if (manifestError !== undefined)
    return yield* new CommandError({ text: manifestError.text.replace(/^error: (?=error parsing)/, "") })
  yield* failWithErrors(host, args, errors)
  if (watching) return yield* commandError("you may only watch a single resource or type of resource at a time")
})
