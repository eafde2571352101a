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
import { type Listed, type OutsideOwner, outsideOwnersOf, withReferredUids } from "./outsideOwners.ts"

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

const JOB_TRACKING = "batch.kubernetes.io/job-tracking"

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

/** A pod of an owner outside. */
export interface OutsidePod {
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly owner: OutsideOwner
}

/** Of each owner outside, by namespace, one pod: all of them are of one template, and selectors are asked of each. */
export const outsidePodsOf = (outside: ReadonlyArray<OutsideOwner>): ReadonlyMap<string, ReadonlyArray<OutsidePod>> => {
  const pods = new Map<string, Array<OutsidePod>>()
  for (const owner of outside) {
    const pod = owner.owned.find(({ kind, object }) => kind === "Pod" && getControllerOf(object)?.uid === owner.uid)
    if (pod === undefined) continue
    const list = pods.get(namespaceOf(pod)) ?? []
    pods.set(namespaceOf(pod), list)
    list.push({ labels: pod.object.metadata.labels, owner })
  }
  return pods
}

/**
 * A Deployment whose ReplicaSets are not there would make new ones, and all its pods a second time: it is paused, as Kubernetes
 * knows it.
 */
const pausedWithout = (deployment: Deployment, pods: ReadonlyArray<OutsidePod>): Deployment =>
  pods.some(
    ({ labels, owner }) => owner.kind === "ReplicaSet" && matchesLabelSelector(deployment.spec.selector, labels)
  )
    ? { ...deployment, spec: { ...deployment.spec, paused: true } }
    : deployment

/** The sets, by uid, that have pods and none of their revisions. A set without pods has nothing to roll out. */
export const withoutRevision = (listed: ReadonlyArray<Listed>): ReadonlySet<string | undefined> => {
  const ownersOf = (kind: KindName) =>
    new Set(listed.flatMap((one) => (one.kind === kind ? [getControllerOf(one.object)?.uid] : [])))
  const [pods, revisions] = [ownersOf("Pod"), ownersOf("ControllerRevision")]
  const isSet = ({ kind }: Listed): boolean => kind === "StatefulSet" || kind === "DaemonSet"
  return new Set(
    listed
      .filter((one) => isSet(one) && pods.has(one.object.metadata.uid) && !revisions.has(one.object.metadata.uid))
      .map(({ object }) => object.metadata.uid)
  )
}

/** Without its revisions all pods of a set would be old to it, and be replaced one by one: it replaces none of itself. */
const unrolledWithout = <A extends StatefulSet | DaemonSet>(set: A, hasRevision: boolean): A =>
  hasRevision ? set : { ...set, spec: { ...set.spec, updateStrategy: { type: "OnDelete" } } }

/** A pod of a Job is held until the Job has counted it, and of one that is not there it never is. */
const uncountedWithout = (pod: Pod, outside: ReadonlySet<string | undefined>): Pod => {
  const { finalizers } = pod.metadata
  if (finalizers?.includes(JOB_TRACKING) !== true || !outside.has(getControllerOf(pod)?.uid)) return pod
  return { ...pod, metadata: { ...pod.metadata, finalizers: finalizers.filter((name) => name !== JOB_TRACKING) } }
}

const countsByScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string"

/** Whether a budget counts the pods that owners outside ask for: how many that are cannot be counted again. */
export const countsOutside = (budget: PodDisruptionBudget, pods: ReadonlyArray<OutsidePod>): boolean =>
  countsByScale(budget) && pods.some(({ labels }) => matchesLabelSelector(budget.spec?.selector, labels))

/** What its controller last found that it needs stands for what it would count. */
const countedBefore = (budget: PodDisruptionBudget, pods: ReadonlyArray<OutsidePod>): PodDisruptionBudget => {
  const { spec, status } = budget
  if (status === undefined || !countsOutside(budget, pods)) return budget
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
  const outsideUids = new Set(outside.map(({ uid }) => uid))
  const outsidePods = outsidePodsOf(outside)
  const podsBeside = (one: LoadedObject) => outsidePods.get(namespaceOf(one)) ?? []
  const lacking = withoutRevision(listed)
  const still = (one: LoadedObject): LoadedObject["object"] => {
    const { kind, object } = one
    if (kind === "Pod") return uncountedWithout(object as Pod, outsideUids)
    if (kind === "Deployment") return pausedWithout(object as Deployment, podsBeside(one))
    if (kind === "PodDisruptionBudget") return countedBefore(object as PodDisruptionBudget, podsBeside(one))
    if (kind === "StatefulSet" || kind === "DaemonSet") {
      return unrolledWithout(object as StatefulSet | DaemonSet, !lacking.has(object.metadata.uid))
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
