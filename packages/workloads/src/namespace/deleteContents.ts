import { type KindName, kindNames, type Namespace, type Pod, parseTime, resourceOf } from "@rollcall/api"
import type { AnyKind, ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { asKindName, customResourceOf } from "../garbage/customKinds.ts"
import type { Contents } from "./conditions.ts"

/** The estimated time that finalizers of objects other than pods take. Upstream: finalizerEstimateSeconds. */
const FINALIZER_SECONDS = 15

/** A kind whose objects may be in a namespace. */
interface ContentKind {
  readonly kind: AnyKind
  /** As messages count it: `pods.`, `leases.coordination.k8s.io`. */
  readonly counted: string
  /** As errors name it: `/v1, Resource=pods`. */
  readonly resource: string
}

const contentKind = (kind: AnyKind, group: string, version: string, plural: string): ContentKind => ({
  kind,
  counted: `${plural}.${group}`,
  resource: `${group}/${version}, Resource=${plural}`
})

const builtIn = (kind: KindName): ContentKind => {
  const { group, plural, version } = resourceOf(kind)
  return contentKind(kind, group, version, plural)
}

const pods = builtIn("Pod")

/** The namespaced kinds but pods, which are deleted before all others, since they may need them. */
const otherKinds = kindNames.filter((kind) => kind !== "Pod" && resourceOf(kind).namespaced).map(builtIn)

/** The namespaced kinds that CustomResourceDefinitions add. */
const customKinds = (cluster: ClusterShape): Effect.Effect<ReadonlyArray<ContentKind>, ClusterError> =>
  cluster.list("CustomResourceDefinition").pipe(
    Effect.map(({ items }) =>
      items.flatMap((definition) => {
        const resource = customResourceOf(definition)
        if (resource?.namespaced !== true) return []
        const { group, names } = definition.spec
        return [contentKind(resource.kind, group, resource.kind.slice(resource.kind.indexOf("/") + 1), names.plural)]
      })
    )
  )

/** The longest grace period of the pods that have not terminated, in seconds. */
export const estimateTerminationSeconds = (all: ReadonlyArray<Pod>): number =>
  all.reduce((longest, { spec, status }) => {
    const hasTerminated = status?.phase === "Succeeded" || status?.phase === "Failed"
    return hasTerminated ? longest : Math.max(longest, Number(spec.terminationGracePeriodSeconds ?? 0))
  }, 0)

/** Objects are left although nothing holds them. */
export class ContentRemains extends Data.TaggedError("ContentRemains")<{ readonly message: string }> {}

/** A pass over the contents of one namespace. */
class Pass {
  readonly remaining = new Map<string, number>()
  readonly byFinalizer = new Map<string, number>()
  readonly discoveryErrors: Array<string> = []
  readonly deletionErrors: Array<string> = []
  /** The first error, which ends the sync. */
  error: ClusterError | ContentRemains | undefined
  /** The seconds until what is left may be gone; 0 if nothing is expected to remain. */
  seconds = 0
  private readonly cluster: ClusterShape
  private readonly namespace: string
  /** How long ago the namespace was deleted, in seconds. */
  private readonly age: number

  constructor(cluster: ClusterShape, namespace: string, age: number) {
    this.cluster = cluster
    this.namespace = namespace
    this.age = age
  }

  /** Deletes all objects of a kind. The error of the sync, unlike that of the conditions, has the prefix. */
  run(kind: ContentKind, prefix = ""): Effect.Effect<void> {
    return Effect.map(Effect.result(this.deleteKind(kind)), (result) => {
      if (Result.isSuccess(result)) return
      const { message } = result.failure
      this.error ??= prefix === "" ? result.failure : new ContentRemains({ message: `${prefix}${message}` })
      this.deletionErrors.push(message)
    })
  }

  private readonly deleteKind = Effect.fnUntraced({ self: this }, function* (this: Pass, content: ContentKind) {
    const { cluster, namespace } = this
    const kind = asKindName(content.kind)
    const running = kind === "Pod" ? (yield* cluster.list("Pod", { namespace })).items : []
    const grace = estimateTerminationSeconds(running)
    const estimate = this.age >= grace ? 0 : grace
    yield* cluster.deleteCollection(kind, { namespace, options: { propagationPolicy: "Background" } })
    const { items } = yield* cluster.list(kind, { namespace })
    if (items.length === 0) return
    this.remaining.set(content.counted, items.length)
    const finalizers = items.flatMap(({ metadata }) => metadata.finalizers ?? [])
    for (const finalizer of finalizers) this.byFinalizer.set(finalizer, (this.byFinalizer.get(finalizer) ?? 0) + 1)
    if (estimate === 0 && finalizers.length === 0) {
      const message = `unexpected items still remain in namespace: ${namespace} for gvr: ${content.resource}`
      return yield* new ContentRemains({ message })
    }
    this.seconds = Math.max(this.seconds, estimate || FINALIZER_SECONDS)
  })
}

/** What a pass left, and when to look again. */
export interface DeletedContents extends Contents {
  readonly seconds: number
  readonly error: ClusterError | ContentRemains | undefined
}

const NOTHING: ReadonlyMap<string, number> = new Map()

/**
 * Deletes the objects in a terminating namespace. While pods are left, only pods are deleted, and the totals say nothing
 * of them. Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go deleteAllContent.
 */
export const deleteContents = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  { metadata }: Namespace,
  now: number
) {
  const { deletionTimestamp = "", name = "" } = metadata
  const pass = new Pass(cluster, name, (now - parseTime(deletionTimestamp)) / 1000)
  const custom = yield* Effect.result(customKinds(cluster))
  if (Result.isFailure(custom)) {
    pass.error = custom.failure
    pass.discoveryErrors.push(custom.failure.message)
  }
  yield* pass.run(pods, `failed to delete pods for namespace: ${name}, err: `)
  const { deletionErrors, discoveryErrors } = pass
  if (pass.remaining.size > 0) {
    const { error, seconds } = pass
    const left: DeletedContents = {
      remaining: NOTHING,
      byFinalizer: NOTHING,
      deletionErrors,
      discoveryErrors,
      error,
      seconds
    }
    return left
  }
  for (const kind of [...otherKinds, ...Result.getOrElse(custom, () => [])]) yield* pass.run(kind)
  const done: DeletedContents = pass
  return done
})
