import type {
  ConfigMap,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  IngressClass,
  KubeObject,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  Secret,
  ServiceAccount,
  StorageClass
} from "@rollcall/api"
import { formatLabelSelector, getControllerOf, isControlledBy } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import { isNotFound } from "@rollcall/cluster"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "../Arguments.ts"
import { commandError } from "../CommandError.ts"
import { describeAutoscaler } from "../describe/autoscaler.ts"
import { describeGeneric } from "../describe/generic.ts"
import { describeNode } from "../describe/node.ts"
import { describePod } from "../describe/pod.ts"
import { describeRole, type RoleObject } from "../describe/role.ts"
import { describeService, type ServiceObject, type SliceObject } from "../describe/service.ts"
import * as small from "../describe/small.ts"
import { describeClaim, describeStorageClass, describeVolume } from "../describe/storage.ts"
import { describeDeployment, describeReplicaSet } from "../describe/workloads.ts"
import { discover } from "../discovery.ts"
import type { Host } from "../Host.ts"
import { kindText, type Mapping } from "../Mapping.ts"
import { call, callObject } from "../request.ts"
import { failWithServerErrors, type Info, listObjects, readTargets, resolveArguments, scopeOf } from "../targets.ts"

interface ItemList<A> {
  readonly items?: ReadonlyArray<A> | null
}

const listItems = <A>(
  host: Host,
  path: string,
  query: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<A>, ClusterError> =>
  Effect.map(call(host, { method: "GET", path, query }), (body) => (body as ItemList<A>).items ?? [])

/** Kubelets set the name of a Node as the uid in its events; controllers set the real uid. */
const uidsOf = ({ kind, metadata: { name, uid } }: KubeObject): ReadonlyArray<string | undefined> =>
  kind === "Node" && uid !== name ? [uid, name] : [uid]

/** Returns the events of an object; undefined if they are not requested or not readable. */
const eventsOf = (host: Host, args: Arguments, { object }: Info): Effect.Effect<ReadonlyArray<Event> | undefined> => {
  if (!args.isOn("show-events", true)) return Effect.succeed(undefined)
  const { kind, metadata } = object
  const path = metadata.namespace === undefined ? "/api/v1/events" : `/api/v1/namespaces/${metadata.namespace}/events`
  const lists = uidsOf(object).map((uid) => {
    const fields = [
      `involvedObject.kind=${kind}`,
      ...(uid === undefined ? [] : [`involvedObject.uid=${uid}`]),
      `involvedObject.name=${metadata.name ?? ""}`,
      ...(metadata.namespace === undefined ? [] : [`involvedObject.namespace=${metadata.namespace}`])
    ]
    return listItems<Event>(host, path, { fieldSelector: fields.join(","), limit: "500" })
  })
  return Effect.all(lists).pipe(
    Effect.map((found) => found.flat()),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const describeNodeInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const lease = yield* Effect.result(
    callObject(host, {
      method: "GET",
      path: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${info.name}`
    })
  )
  const fieldSelector = `spec.nodeName=${info.name},status.phase!=Failed,status.phase!=Succeeded`
  const pods = yield* Effect.result(listItems<Pod>(host, "/api/v1/pods", { fieldSelector, limit: "500" }))
  return describeNode({
    node: info.object as Node,
    lease: Result.isSuccess(lease) ? (lease.success as Lease) : lease.failure.message,
    pods: Result.isSuccess(pods) ? pods.success : undefined,
    events,
    nowMs
  })
})

const describeDeploymentInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const object = info.object as Deployment
  const labelSelector = formatLabelSelector(object.spec.selector)
  const sets = yield* listItems<ReplicaSet>(host, `/apis/apps/v1/namespaces/${info.namespace}/replicasets`, {
    labelSelector
  })
  const revision = "deployment.kubernetes.io/revision"
  const ownedSets = sets.filter((set) => isControlledBy(set, object))
  const current = ownedSets.find(
    ({ metadata }) => metadata.annotations?.[revision] === object.metadata.annotations?.[revision]
  )
  return describeDeployment(object, { old: ownedSets.filter((set) => set !== current), current }, events, nowMs)
})

const describeReplicaSetInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const set = info.object as ReplicaSet
  const labelSelector = formatLabelSelector(set.spec.selector)
  const pods = yield* listItems<Pod>(host, `/api/v1/namespaces/${info.namespace}/pods`, { labelSelector })
  const ownedSets = pods.filter((pod) => getControllerOf(pod) === undefined || isControlledBy(pod, set))
  return describeReplicaSet(set, ownedSets, events, nowMs)
})

const describeServiceAccountInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const secrets = yield* Effect.result(listItems<Secret>(host, `/api/v1/namespaces/${info.namespace}/secrets`, {}))
  const tokens = (Result.isSuccess(secrets) ? secrets.success : []).filter(
    ({ metadata, type }) =>
      type === "kubernetes.io/service-account-token" &&
      metadata.annotations?.["kubernetes.io/service-account.name"] === info.name
  )
  return small.describeServiceAccount(
    info.object as ServiceAccount,
    tokens.map(({ metadata }) => metadata.name ?? ""),
    events,
    nowMs
  )
})

const describeServiceInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const labelSelector = `kubernetes.io/service-name=${info.name}`
  const path = `/apis/discovery.k8s.io/v1/namespaces/${info.namespace}/endpointslices`
  const slices = yield* Effect.result(listItems<SliceObject>(host, path, { labelSelector }))
  return describeService(info.object as ServiceObject, Result.isSuccess(slices) ? slices.success : [], events, nowMs)
})

const describeClaimInfo = Effect.fnUntraced(function* (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) {
  const pods = yield* Effect.result(listItems<Pod>(host, `/api/v1/namespaces/${info.namespace}/pods`, {}))
  const uses = ({ metadata, spec }: Pod) =>
    (spec.volumes ?? []).some(
      ({ ephemeral, name, persistentVolumeClaim }) =>
        persistentVolumeClaim?.claimName === info.name ||
        (ephemeral !== undefined && `${metadata.name}-${name}` === info.name)
    )
  const users = Result.isSuccess(pods) ? pods.success.filter(uses) : []
  return describeClaim(info.object as PersistentVolumeClaim, users, events, nowMs)
})

type Describer = (
  host: Host,
  info: Info,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
) => Effect.Effect<string, ClusterError>

const withoutRequests =
  <A extends KubeObject>(
    describeIt: (object: A, events: ReadonlyArray<Event> | undefined, nowMs: number) => string
  ): Describer =>
  (_host, { object }, events, nowMs) =>
    Effect.succeed(describeIt(object as A, events, nowMs))

const describers: Readonly<Record<string, Describer>> = {
  "/Node": describeNodeInfo,
  "/Pod": withoutRequests<Pod>(describePod),
  "/ConfigMap": withoutRequests<ConfigMap>(small.describeConfigMap),
  "/Secret": withoutRequests<Secret>(small.describeSecret),
  "/ServiceAccount": describeServiceAccountInfo,
  "/Namespace": withoutRequests<Namespace>(small.describeNamespace),
  "/PersistentVolume": withoutRequests<PersistentVolume>(describeVolume),
  "/PersistentVolumeClaim": describeClaimInfo,
  "/Service": describeServiceInfo,
  "rbac.authorization.k8s.io/Role": withoutRequests<RoleObject>(describeRole),
  "rbac.authorization.k8s.io/ClusterRole": withoutRequests<RoleObject>(describeRole),
  "scheduling.k8s.io/PriorityClass": withoutRequests<PriorityClass>(small.describePriorityClass),
  "networking.k8s.io/IngressClass": withoutRequests<IngressClass>(small.describeIngressClass),
  "policy/PodDisruptionBudget": withoutRequests<PodDisruptionBudget>(small.describePodDisruptionBudget),
  "storage.k8s.io/StorageClass": withoutRequests<StorageClass>(describeStorageClass),
  "autoscaling/HorizontalPodAutoscaler": withoutRequests<HorizontalPodAutoscaler>(describeAutoscaler),
  "apps/Deployment": describeDeploymentInfo,
  "apps/ReplicaSet": describeReplicaSetInfo
}

const describeGenericInfo: Describer = withoutRequests<KubeObject>(describeGeneric)

const describeInfo = Effect.fnUntraced(function* (host: Host, args: Arguments, info: Info) {
  const events = yield* eventsOf(host, args, info)
  const describer = describers[`${info.mapping.group}/${info.mapping.kind}`] ?? describeGenericInfo
  const nowMs = yield* Clock.currentTimeMillis
  return yield* Effect.suspend(() => describer(host, info, events, nowMs)).pipe(
    // An object of another server may have any shape: on an error it is described like an unknown kind.
    Effect.catchDefect((error) => {
      host.stderr(`error: unable to describe ${kindText(info.mapping)}/${info.name}: ${errorText(error)}\n`)
      return describeGenericInfo(host, info, events, nowMs)
    })
  )
})

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the objects whose names start with the given prefix. */
const findByPrefix = Effect.fnUntraced(function* (host: Host, args: Arguments, mapping: Mapping, prefix: string) {
  const { namespace } = scopeOf(host, args)
  const objects = yield* listObjects(host, mapping, namespace, {})
  return objects
    .filter(({ metadata }) => metadata.name?.startsWith(prefix))
    .map(
      (object): Info => ({
        mapping,
        namespace: object.metadata.namespace ?? "",
        name: object.metadata.name ?? "",
        object
      })
    )
})

/** `kubectl describe`. Upstream: kubectl/pkg/cmd/describe/describe.go. */
export const describe = Effect.fnUntraced(function* (host: Host, args: Arguments) {
  if (args.positional.length === 0 && args.texts("filename").length === 0) {
    return yield* commandError(
      `You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.\n`
    )
  }
  const { errors, infos } = yield* resolveArguments(host, args.positional, args)
  const [error] = errors
  if (
    infos.length === 0 &&
    errors.length === 1 &&
    error !== undefined &&
    isNotFound(error) &&
    args.positional.length === 2
  ) {
    const [target] = yield* readTargets(yield* discover(host), args.positional)
    const found = target?.name === undefined ? [] : yield* findByPrefix(host, args, target.mapping, target.name)
    if (found.length === 0) return yield* failWithServerErrors(host, errors)
    for (const info of found) host.stdout(`${yield* describeInfo(host, args, info)}\n`)
    return
  }
  for (const [index, info] of infos.entries()) {
    host.stdout(`${index === 0 ? "" : "\n\n"}${yield* describeInfo(host, args, info)}`)
  }
  if (infos.length === 0 && errors.length === 0) {
    const { everywhere, namespace } = scopeOf(host, args)
    host.stderr(everywhere ? "No resources found\n" : `No resources found in ${namespace} namespace.\n`)
  }
  yield* failWithServerErrors(host, errors)
})
