import { type KindName, type KubeObject, kinds, type ObjectOf, type Status } from "@rollcall/api"
import { scaleToZeroRules } from "@rollcall/api/validation"
import { ApiError, type ApiRequest, type Connection } from "@rollcall/cluster"
import { FieldOwnership } from "@rollcall/field-ownership"
import { Store, StoreFailure } from "@rollcall/store"
import { guarded, Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { type AdmissionPlugin, AdmissionPlugins, type AdmissionReader } from "./admission/Admission.ts"
import { defaultAdmissionPlugins, systemPriorityClasses } from "./admission/index.ts"
import { inOrder } from "./admission/order.ts"
import type { ServerMetrics } from "./metrics/ServerMetrics.ts"
import { AdmissionChains } from "./pipeline/AdmissionChains.ts"
import { type AdmittedConnection, admitConnection, type ConnectionRequest } from "./pipeline/admitConnection.ts"
import { connect, makeServe } from "./pipeline/connect.ts"
import { createVirtual } from "./pipeline/createVirtual.ts"
import type { Audit, CreationRefusal, Done, Identity, Reply } from "./pipeline/Exchange.ts"
import { labelAsServer } from "./pipeline/labelAsServer.ts"
import { ownedByServer } from "./pipeline/ownedByServer.ts"
import { activeNamespace, type RestoreOptions, restore } from "./pipeline/restore.ts"
import type { ServerCore } from "./pipeline/ServerCore.ts"
import { updateStatusAsServer } from "./pipeline/updateStatusAsServer.ts"
import type { CustomResourcesPlan } from "./ports/CustomResources.ts"
import type { DynamicAdmissionPlan } from "./ports/DynamicAdmission.ts"
import { Authorizers, type Security, type SecurityPlan, type SecuritySource, sourceOf } from "./ports/Security.ts"
import { autoscalersView } from "./registry/autoscalersView.ts"
import { bindingsView } from "./registry/bindingsView.ts"
import { eventsView } from "./registry/eventsView.ts"
import { Registry } from "./registry/Registry.ts"
import { addRegistryMetrics } from "./registry/registryMetrics.ts"
import { makeName, makeUid, SeededRandom } from "./registry/SeededRandom.ts"
import { type KindTable, kindTable } from "./registry/table.ts"
import { Turns, type TurnsOptions } from "./turns/Turns.ts"

export interface ApiServerOptions {
  /**
   * The admission plugins in chain order. By default those of `security`, or without security those of
   * `defaultAdmissionPlugins`. The plugins of the `AdmissionPlugins` service follow them.
   */
  readonly admission?: ReadonlyArray<AdmissionPlugin>
  /**
   * Authentication and authorization, for a server that other processes reach. See `@rollcall/api-server/security`, and
   * `Authorizers`.
   */
  readonly security?: SecurityPlan
  /**
   * Whether to maintain metadata.managedFields, serve server-side apply, and decode the results of patches as strictly
   * as bodies, as a real server does. Default: false, which makes writes cheaper.
   */
  readonly managedFields?: boolean
  /** Serves custom resources. See `@rollcall/api-server/custom`; without it CustomResourceDefinitions are only stored. */
  readonly customResources?: CustomResourcesPlan
  /**
   * Lets stored admission policies act. See `@rollcall/api-server/admission`; without it they are only stored.
   */
  readonly dynamicAdmission?: DynamicAdmissionPlan
  /**
   * Lets long-running requests yield to others. Default: each request runs to its end at once, as a rehearsal requires.
   */
  readonly turns?: TurnsOptions
  /** Counts and measures its work, for the `/metrics` of the HTTP server. Default: nothing is measured. */
  readonly metrics?: ServerMetrics
  /** How long an Event is kept after it was last written, in milliseconds (`--event-ttl`); default one hour. */
  readonly eventTtlMs?: number
  /** Whether HorizontalPodAutoscalers may scale to zero: the feature gate HPAScaleToZero. Default: false. */
  readonly scalesToZero?: boolean
  /**
   * Keeps the renewals of node Leases in columns of numbers while no one reads their objects, in virtual time and on a
   * store that allows it; and lets a watch that its client opens again go on in place. Has an effect only in a server
   * without managedFields and without metrics. Default: false.
   */
  readonly renewalColumns?: boolean
}

export interface ApiServerShape {
  /**
   * Returns a connection of this user. Requests are answered before `send` returns, if the store answers synchronously.
   */
  readonly connect: (identity: Identity) => Connection
  /**
   * Handles a request as `connect(identity).send` does; the reply has a status code and warnings for HTTP, too. An update or an
   * apply that would create asks `creationRefusal` whether the caller may, where upstream does.
   */
  readonly serve: (identity: Identity, request: ApiRequest, reply: Reply, creationRefusal?: CreationRefusal) => void
  /** Admits a connection to what an object stands for: the answer is its options as the plugins leave them. */
  readonly admitConnection: (identity: Identity, connection: ConnectionRequest, done: AdmittedConnection) => void
  /** Answers the create of an object that is not stored, such as a token request. */
  readonly createVirtual: ReturnType<typeof createVirtual>
  /** Divides the thread between long-running work and other requests; the HTTP server also uses it for its own work. */
  readonly turns: Turns
  /** The served kinds; kinds can be added and removed. */
  readonly registry: Registry
  /** The security of `ApiServerOptions.security`, which the HTTP server applies before `serve`. */
  readonly security: Security | undefined
  /** What maintains managedFields, unless they are off. */
  readonly ownership: FieldOwnership | undefined
  /** What counts and measures its work, if anything does. */
  readonly metrics: ServerMetrics | undefined
  /**
   * Stores the objects of a snapshot with defaults, but neither admitted nor validated; with `onlyMissing` those that do
   * not exist. Fails on an object of an unknown kind, or without a name.
   */
  readonly restore: (objects: Iterable<KubeObject>, options?: RestoreOptions) => Effect.Effect<void, ApiError>
  /**
   * Sets the observer of every write, including refused ones, or removes it (undefined). One that skips renewals of
   * Leases gets no records of those that are in columns.
   */
  readonly setAudit: (audit: Audit | undefined, options?: { readonly skipsRenewals?: boolean }) => void
  /** The newest revision that reads return. */
  readonly revision: () => number
  /** Discards the watch history, as etcd's compaction does: watches from an earlier revision end in 410 Expired. */
  readonly compact: Effect.Effect<void>
}

/**
 * The Kubernetes API in process: objects over a store, with validation, admission, graceful deletion and watches. Its
 * generated names and uids depend only on Effect's Random at the time it is built.
 */
export class ApiServer extends Context.Service<ApiServer, ApiServerShape>()("@rollcall/api-server/ApiServer") {
  static readonly layer = (options: ApiServerOptions = {}): Layer.Layer<ApiServer, StoreFailure, Store | Timers> =>
    Layer.effect(ApiServer, make(options))
}

const autoscalerRulesOf = ({ scalesToZero = false }: Pick<ApiServerOptions, "scalesToZero">) =>
  scalesToZero ? scaleToZeroRules : kinds.HorizontalPodAutoscaler.validation

/** Returns the table of kinds for these options. */
const tableOf = ({
  customResources,
  dynamicAdmission,
  eventTtlMs,
  scalesToZero,
  security
}: ApiServerOptions): KindTable => {
  const secured = security?.define?.(kindTable) ?? kindTable
  const served = customResources?.define(secured) ?? secured
  const admitted = dynamicAdmission?.define(served) ?? served
  const { create: validate, update: validateUpdate } = scaleToZeroRules
  const HorizontalPodAutoscaler = { ...admitted.HorizontalPodAutoscaler, validate, validateUpdate }
  const table = scalesToZero === true ? { ...admitted, HorizontalPodAutoscaler } : admitted
  return eventTtlMs === undefined ? table : { ...table, Event: { ...table.Event, expireMs: eventTtlMs } }
}

const make = Effect.fnUntraced(function* (options: ApiServerOptions) {
  const { managedFields = false, metrics } = options
  const store = yield* Store
  const timers = yield* Timers
  const random = new SeededRandom([yield* Random.nextInt, yield* Random.nextInt, yield* Random.nextInt])
  const registry = new Registry(store, timers, tableOf(options), options.metrics)
  if (metrics !== undefined) addRegistryMetrics(metrics.set, registry)
  yield* Effect.acquireRelease(
    Effect.callback<void, StoreFailure>((resume) =>
      registry.start((error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
    ),
    () => Effect.sync(() => registry.stop())
  )
  const authorizers = yield* Effect.serviceOption(Authorizers)
  const label: SecuritySource["label"] = (kind, namespace, name, labels) =>
    timers.soon(() => labelAsServer(core, kind, { namespace, name }, labels))
  const security = options.security?.make(
    sourceOf(registry, timers, label, options.metrics),
    Option.getOrElse(authorizers, () => [])
  )
  const plugins = options.admission ?? security?.admission ?? defaultAdmissionPlugins()
  const addedPlugins = yield* Effect.serviceOption(AdmissionPlugins)
  const dynamicPlugins =
    options.dynamicAdmission?.make({
      registry,
      timers,
      authorizer: security?.authorizer,
      makeId: () => makeUid(random),
      metrics: options.metrics
    }) ?? []
  const ordered = inOrder([...plugins, ...dynamicPlugins])
  const context = {
    reader: readerOf(registry),
    updateStatus: (object: KubeObject, done: Done) => updateStatusAsServer(core, object, done),
    now: timers.now,
    makeName: (base: string) => makeName(random, base)
  }
  const allPlugins = ordered.concat(Option.getOrElse(addedPlugins, () => []))
  const chains = new AdmissionChains(allPlugins, context, metrics)
  const turns = new Turns(options.turns)
  const ownership = managedFields ? new FieldOwnership(timers.now) : undefined
  const parts = { registry, timers, random, admission: chains, ownership, metrics, turns }
  const core: ServerCore = { ...parts, audit: undefined, tokens: tokensOf(security) }
  const load = (objects: Iterable<KubeObject>, restoring: RestoreOptions = {}) =>
    Effect.callback<void, ApiError>((resume) => {
      const done = (result: Result.Result<void, Status>) =>
        resume(Result.isSuccess(result) ? Effect.void : Effect.fail(new ApiError({ status: result.failure })))
      restore(core, objects, done, restoring)
    })
  if (options.renewalColumns === true && options.metrics === undefined && !managedFields) registry.useHeartbeatColumns()
  for (const view of [eventsView, autoscalersView(autoscalerRulesOf(options)), bindingsView]) registry.add(view)
  const { customResources } = options
  if (customResources !== undefined) {
    yield* Effect.callback<void, StoreFailure>((resume) =>
      customResources.start(core, (error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
    )
  }
  yield* load(missingOf(core, options.security?.objects ?? []), { onlyMissing: true }).pipe(
    Effect.mapError(({ message }) => new StoreFailure({ message }))
  )
  return ApiServer.of({
    connect: (identity) => connect(core, identity),
    serve: makeServe(core),
    admitConnection: admitConnection(core),
    createVirtual: createVirtual(core),
    turns,
    registry,
    security,
    ownership,
    metrics,
    restore: load,
    setAudit: auditSetter(core),
    revision: () => registry.revision,
    compact: Effect.callback<void>((resume) => registry.compact(() => resume(Effect.void)))
  })
})

const tokensOf = (security: Security | undefined) =>
  security?.virtual.find(({ subresource }) => subresource?.name === "token")

const auditSetter =
  (core: ServerCore): ApiServerShape["setAudit"] =>
  (audit, { skipsRenewals = false } = {}) => {
    core.auditsRenewals = audit !== undefined && !skipsRenewals
    if (core.auditsRenewals) core.registry.quiet?.leaveAll()
    core.audit =
      audit && ((record) => void guarded(core.timers, "audit", () => audit(record), { kind: record.request.kind }))
  }

const readerOf = ({ kinds }: Registry): AdmissionReader => ({
  get: <K extends KindName>(kind: K, namespace: string, name: string) =>
    kinds[kind].cache.get(namespace, name)?.object as ObjectOf<K> | undefined,
  list: <K extends KindName>(kind: K, namespace?: string) => {
    const found: Array<ObjectOf<K>> = []
    kinds[kind].cache.visit(namespace, (object) => found.push(object as ObjectOf<K>))
    return found
  },
  observe: (kind, observer) =>
    kinds[kind].cache.observe((object, previous) => observer(object as never, previous as never))
})

/**
 * Returns those objects that every cluster has (system namespaces, priority classes, and `required`) which are not in the
 * store yet.
 */
const missingOf = (core: ServerCore, required: ReadonlyArray<KubeObject>): ReadonlyArray<KubeObject> => {
  const initialObjects = [
    ...["default", "kube-system", "kube-public", "kube-node-lease"].map(activeNamespace),
    ...systemPriorityClasses,
    ...required
  ]
  const isMissing = ({ kind, metadata: { name = "", namespace = "" } }: KubeObject) =>
    core.registry.kind(kind)?.cache.get(namespace, name) === undefined
  return initialObjects.filter(isMissing).map((object) => ownedByServer(core, object))
}
