import {
  type KindName,
  type KubeObject,
  type Node,
  type ObjectOf,
  type Pod,
  resourceOf,
  taintOutOfService
} from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  defaultRetry,
  isAlreadyExists,
  isNotFound,
  retryOnConflict
} from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { PlannedEvent } from "../input/events.ts"
import type { LoadedObject } from "../input/objects.ts"
import type { ActionName, EventSpec } from "../input/Scenario.ts"
import { type DrainLog, discardingLog, drainNodes } from "./drain.ts"
import { resizePods } from "./resizePods.ts"

/** What an action needs: an administrator's client, the selected nodes and objects, and control of the machines. */
export interface ActionContext {
  readonly cluster: ClusterShape
  readonly nodes: ReadonlyArray<string>
  readonly objects: ReadonlyArray<LoadedObject>
  readonly powerOff: (node: string) => void
  readonly boot: (node: string) => void
  /** Starts a graceful shutdown, like `systemctl poweroff` on the machine. */
  readonly shutdown: (node: string) => void
  readonly cancelShutdown: (node: string) => void
  /** The administrator's client for drains; `cluster` if absent. */
  readonly drainer?: ClusterShape
  /** Receives the messages that `kubectl drain` would print. */
  readonly drainLog?: DrainLog
}

type Taints = NonNullable<NonNullable<Node["spec"]>["taints"]>
type PerformAction = (spec: EventSpec, context: ActionContext) => Effect.Effect<void, ClusterError>

const DEFAULT_NAMESPACE = "default"
/** The taint that an administrator sets on a node that is shut down (non-graceful node shutdown). */
const outOfService = { key: taintOutOfService, value: "nodeshutdown", effect: "NoExecute" } as const

/** Reads a node, changes it and writes it back, like kubectl; retries on a conflict. */
const changeNode = (cluster: ClusterShape, name: string, change: (node: Node) => Node) =>
  retryOnConflict(defaultRetry, () =>
    Effect.flatMap(cluster.get("Node", { name }), (node) => {
      const changed = change(node)
      return changed === node ? Effect.void : Effect.asVoid(cluster.update("Node", changed))
    })
  )

const changeTaints = ({ cluster, nodes }: ActionContext, change: (taints: Taints) => Taints) =>
  Effect.forEach(
    nodes,
    (name) =>
      changeNode(cluster, name, (node) => ({
        ...node,
        spec: { ...node.spec, taints: change(node.spec?.taints ?? []) }
      })),
    { discard: true }
  )

const addTaint = (
  context: ActionContext,
  taint: { readonly key: string; readonly value?: string; readonly effect?: string }
) => {
  const added = { ...taint, effect: taint.effect ?? "NoSchedule" } as Taints[number]
  return changeTaints(context, (taints) => [
    ...taints.filter((other) => other.key !== added.key || other.effect !== added.effect),
    added
  ])
}

const removeTaint = (context: ActionContext, taint: { readonly key: string; readonly effect?: string }) =>
  changeTaints(context, (taints) =>
    taints.filter((other) => other.key !== taint.key || (taint.effect !== undefined && other.effect !== taint.effect))
  )

const cordon =
  (unschedulable: boolean): PerformAction =>
  (_, { cluster, nodes }) =>
    Effect.forEach(
      nodes,
      (name) => cluster.patch("Node", { name }, "strategic", { spec: { unschedulable: unschedulable ? true : null } }),
      { discard: true }
    )

const keyOf = ({ object }: LoadedObject) => ({
  name: object.metadata.name ?? "",
  namespace: object.metadata.namespace ?? DEFAULT_NAMESPACE
})

const pauseContainers = [{ name: "c", image: "registry.k8s.io/pause:3.10" }]

/** Adds a pause container to a pod without containers, so that scenarios can leave them out. */
const withContainers = (pod: Pod): Pod =>
  (pod.spec?.containers ?? []).length === 0 ? { ...pod, spec: { ...pod.spec, containers: pauseContainers } } : pod

/** Returns the object to send: with the default namespace if it needs one, and with containers if it is a pod. */
export const prepareObject = ({ kind, object }: LoadedObject): KubeObject => {
  const whole = kind === "Pod" ? withContainers(object as Pod) : object
  return !resourceOf(kind).namespaced || whole.metadata.namespace !== undefined
    ? whole
    : { ...whole, metadata: { ...whole.metadata, namespace: DEFAULT_NAMESPACE } }
}

/** Creates an object of the scenario in the API. */
export const createLoaded = (cluster: ClusterShape, loaded: LoadedObject): Effect.Effect<KubeObject, ClusterError> =>
  cluster.create(loaded.kind, prepareObject(loaded) as ObjectOf<KindName>)

/** Creates the objects of the event, or merge-patches those that exist. */
const apply: PerformAction = (_, { cluster, objects }) =>
  Effect.forEach(
    objects,
    (loaded) =>
      createLoaded(cluster, loaded).pipe(
        Effect.catchIf(isAlreadyExists, () => cluster.patch(loaded.kind, keyOf(loaded), "merge", loaded.object))
      ),
    { discard: true }
  )

const referenceOf = (
  spec: EventSpec
): { readonly kind: KindName; readonly name: string; readonly namespace: string } => ({
  kind: (spec.object?.kind ?? "Pod") as KindName,
  name: spec.object?.name ?? "",
  namespace: spec.object?.namespace ?? DEFAULT_NAMESPACE
})

/** Deletes the objects of the event. Those that do not exist are skipped. */
const remove: PerformAction = (spec, { cluster, objects }) => {
  const named = spec.object === undefined ? [] : [referenceOf(spec)]
  const targets = [...objects.map((loaded) => ({ kind: loaded.kind, ...keyOf(loaded) })), ...named]
  const gracePeriodSeconds = spec.force === true ? 0 : spec.gracePeriodSeconds
  const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
  return Effect.forEach(
    targets,
    (target) => cluster.delete(target.kind, target, options).pipe(Effect.catchIf(isNotFound, () => Effect.void)),
    { discard: true }
  )
}

const performers: Readonly<Record<ActionName, PerformAction>> = {
  apply,
  delete: remove,
  patch: (spec, { cluster }) => {
    const { kind, ...key } = referenceOf(spec)
    return Effect.asVoid(cluster.patch(kind, key, "merge", spec.patch))
  },
  cordon: cordon(true),
  uncordon: cordon(false),
  drain: (spec, { cluster, drainer = cluster, drainLog = discardingLog, nodes }) =>
    drainNodes(drainer, nodes, spec, drainLog),
  taint: (spec, context) => addTaint(context, spec.taint ?? outOfService),
  untaint: (spec, context) => removeTaint(context, spec.taint ?? outOfService),
  label: (spec, { cluster, nodes }) =>
    Effect.forEach(nodes, (name) => cluster.patch("Node", { name }, "merge", { metadata: { labels: spec.labels } }), {
      discard: true
    }),
  scale: (spec, { cluster }) => {
    const { kind, ...key } = referenceOf(spec)
    return Effect.asVoid(cluster.patch(kind, key, "merge", { spec: { replicas: spec.replicas } }))
  },
  resize: (spec, { cluster }) => resizePods(cluster, referenceOf(spec), spec.resources, spec.container),
  poweroff: (_, { nodes, powerOff }) => Effect.sync(() => nodes.forEach(powerOff)),
  boot: (_, { boot, nodes }) => Effect.sync(() => nodes.forEach(boot)),
  shutdown: (_, { nodes, shutdown }) => Effect.sync(() => nodes.forEach(shutdown)),
  "cancel-shutdown": (_, { cancelShutdown, nodes }) => Effect.sync(() => nodes.forEach(cancelShutdown)),
  "out-of-service": (spec, context) => addTaint(context, spec.taint ?? outOfService),
  "clear-out-of-service": (spec, context) => removeTaint(context, spec.taint ?? outOfService)
}

/** Performs the action of an event as an operator would. Does nothing for a fault. */
export const performAction = (event: PlannedEvent, context: ActionContext): Effect.Effect<void, ClusterError> =>
  "do" in event.what ? performers[event.what.do](event.spec, context) : Effect.void
