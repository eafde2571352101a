import {
  type DaemonSet,
  type Deployment,
  getControllerOf,
  type KindName,
  matchesLabelSelector,
  type Pod,
  type PodDisruptionBudget,
  type PodSpec,
  type PriorityClass,
  type StatefulSet,
  systemClusterCritical,
  systemNodeCritical
} from "@rollcall/api"
import type { LoadedObject } from "../input/objects.ts"
import type { Coverage } from "./coverage.ts"
import { type OutsideOwner, outsideOwnersOf, withReferredUids } from "./outsideOwners.ts"

/** A snapshot as a rehearsal restores it. */
export interface CompleteSnapshot {
  readonly objects: ReadonlyArray<LoadedObject>
  /** Owners that its objects name and that it lacks: they are taken to be there, and to do nothing. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** Priority classes that pods name and that it lacks, with the priority that they are taken to have. */
  readonly classes: ReadonlyArray<PriorityClass>
  /** Workloads of which it is not known how many pods are theirs: `Deployment/default/web`. */
  readonly unknown: ReadonlySet<string>
}

const workloadKinds: ReadonlySet<KindName> = new Set(["ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job"])

interface Templated {
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } }
}

/** The specs of pods that are there, and of those that workloads would make. */
export const podSpecsOf = (listed: ReadonlyArray<Pick<LoadedObject, "kind" | "object">>): ReadonlyArray<PodSpec> =>
  listed.flatMap(({ kind, object }) => {
    if (kind === "Pod") return [(object as Pod).spec]
    const template = workloadKinds.has(kind) ? (object as Templated).spec?.template?.spec : undefined
    return template === undefined ? [] : [template]
  })

/** The API server has them from the start. */
const systemClasses: ReadonlySet<string> = new Set([systemClusterCritical.name, systemNodeCritical.name])

/** Classes that pods name and that are not there, with the priority of a pod that was admitted with them; 0 where none was. */
const classesOf = (listed: ReadonlyArray<LoadedObject>): ReadonlyArray<PriorityClass> => {
  const known = new Set(listed.flatMap(({ kind, object }) => (kind === "PriorityClass" ? [object.metadata.name] : [])))
  const found = new Map<string, PriorityClass>()
  for (const { preemptionPolicy, priority, priorityClassName: name = "" } of podSpecsOf(listed)) {
    if (name === "" || known.has(name) || systemClasses.has(name)) continue
    if (found.has(name) && priority === undefined) continue
    found.set(name, {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value: priority ?? 0,
      ...(preemptionPolicy === undefined ? {} : { preemptionPolicy })
    })
  }
  return [...found.values()]
}

const namespaceOf = ({ object }: Pick<LoadedObject, "object">): string => object.metadata.namespace ?? "default"

type SelectedPod = Pod & { readonly outside: OutsideOwner | undefined }

/** The pods of each namespace with the owner that they have outside. */
const podsByNamespace = (listed: ReadonlyArray<LoadedObject>, outside: ReadonlyArray<OutsideOwner>) => {
  const byUid = new Map(outside.map((owner) => [owner.uid, owner]))
  const pods = new Map<string, Array<SelectedPod>>()
  for (const { kind, object } of listed) {
    if (kind !== "Pod") continue
    const namespace = namespaceOf({ object })
    const list = pods.get(namespace) ?? []
    pods.set(namespace, list)
    const pod: Pod = object as Pod
    list.push({ ...pod, outside: byUid.get(getControllerOf(pod)?.uid ?? "") })
  }
  return pods
}

type PodsOf = (object: LoadedObject["object"]) => ReadonlyArray<SelectedPod>

/**
 * A Deployment whose ReplicaSets are not there would make new ones, and all its pods a second time: it is paused, as Kubernetes
 * knows it.
 */
const pausedWithout = (deployment: Deployment, podsOf: PodsOf): Deployment =>
  podsOf(deployment).some(
    ({ metadata, outside }) =>
      outside?.kind === "ReplicaSet" && matchesLabelSelector(deployment.spec.selector, metadata.labels)
  )
    ? { ...deployment, spec: { ...deployment.spec, paused: true } }
    : deployment

/** Without its revisions all pods of a set would be old to it, and be replaced one by one: it replaces none of itself. */
const unrolledWithout = <A extends StatefulSet | DaemonSet>(set: A, hasRevision: boolean): A =>
  hasRevision ? set : { ...set, spec: { ...set.spec, updateStrategy: { type: "OnDelete" } } }

const countsByScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string"

/** Whether a budget counts the pods that owners outside ask for: how many that are cannot be counted again. */
export const countsOutside = (budget: PodDisruptionBudget, pods: ReadonlyArray<SelectedPod>): boolean =>
  countsByScale(budget) &&
  pods.some(
    ({ metadata, outside }) => outside !== undefined && matchesLabelSelector(budget.spec?.selector, metadata.labels)
  )

/** What its controller last found that it needs stands for what it would count. */
const countedBefore = (budget: PodDisruptionBudget, podsOf: PodsOf): PodDisruptionBudget => {
  const { spec, status } = budget
  if (status === undefined || !countsOutside(budget, podsOf(budget))) return budget
  const { maxUnavailable: _, ...rest } = spec ?? {}
  return { ...budget, spec: { ...rest, minAvailable: status.desiredHealthy } }
}

/**
 * A snapshot with what others of its objects tell of what it lacks, and with everything held still that would do the wrong thing
 * because of that: what is not known is not made up.
 */
export const completeSnapshot = (
  loaded: ReadonlyArray<LoadedObject>,
  coverage: Pick<Coverage, "whole">
): CompleteSnapshot => {
  const listed = withReferredUids(loaded)
  const outside = outsideOwnersOf(listed, coverage.whole)
  const pods = podsByNamespace(listed, outside)
  const podsOf: PodsOf = ({ metadata }) => pods.get(metadata.namespace ?? "default") ?? []
  const revised = new Set(
    listed.flatMap(({ kind, object }) => (kind === "ControllerRevision" ? [getControllerOf(object)?.uid] : []))
  )
  const still = (one: LoadedObject): LoadedObject["object"] => {
    const { kind, object } = one
    if (kind === "Deployment") return pausedWithout(object as Deployment, podsOf)
    if (kind === "PodDisruptionBudget") return countedBefore(object as PodDisruptionBudget, podsOf)
    if (kind === "StatefulSet" || kind === "DaemonSet") {
      return unrolledWithout(object as StatefulSet | DaemonSet, lacksNoRevision(object, revised, podsOf))
    }
    return object
  }
  const classes = coverage.whole.has("PriorityClass") ? [] : classesOf(listed)
  const [first] = listed
  const objects = listed.map((one) => {
    const object = still(one)
    return object === one.object ? one : { ...one, object }
  })
  const unknown = objects.flatMap((one, index) =>
    one.kind === "Deployment" && one !== listed[index]
      ? [`Deployment/${namespaceOf(one)}/${one.object.metadata.name}`]
      : []
  )
  return {
    // Without what they own: a run keeps them to its end, and no more of the snapshot than it needs.
    outside: outside.map((owner) => ({ ...owner, owned: [] })),
    classes,
    unknown: new Set(unknown),
    objects:
      first === undefined
        ? objects
        : [...classes.map((object): LoadedObject => ({ ...first, kind: "PriorityClass", object })), ...objects]
  }
}

/** A set without pods has nothing to roll out. */
const lacksNoRevision = (
  set: LoadedObject["object"],
  revised: ReadonlySet<string | undefined>,
  podsOf: PodsOf
): boolean =>
  revised.has(set.metadata.uid) || !podsOf(set).some((pod) => getControllerOf(pod)?.uid === set.metadata.uid)
