import {
  type CronJob,
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

/** A snapshot in the form that a rehearsal restores. */
export interface CompleteSnapshot {
  readonly objects: ReadonlyArray<LoadedObject>
  /** Owners that its objects refer to and that it lacks: the rehearsal assumes that they exist and do nothing. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** Priority classes that pods refer to and that it lacks, with their assumed priority. */
  readonly classes: ReadonlyArray<PriorityClass>
  /** Workloads whose pods cannot be determined: `Deployment/default/web`. */
  readonly untracked: ReadonlySet<string>
}

/** The finalizer that the Job controller removes from a pod that it has counted. */
const JOB_TRACKING = "batch.kubernetes.io/job-tracking"

const workloadKinds: ReadonlySet<KindName> = new Set([
  "ReplicaSet",
  "ReplicationController",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob"
])

interface Templated {
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } }
}

/** Returns the specs of the pods and of the workloads' pod templates. */
export const podSpecsOf = (listed: ReadonlyArray<Pick<LoadedObject, "kind" | "object">>): ReadonlyArray<PodSpec> =>
  listed.flatMap(({ kind, object }) => {
    if (kind === "Pod") return [(object as Pod).spec]
    const templated = kind === "CronJob" ? (object as CronJob).spec.jobTemplate : (object as Templated)
    const template = workloadKinds.has(kind) ? templated.spec?.template?.spec : undefined
    return template === undefined ? [] : [template]
  })

/** The API server creates these classes at its start. */
const systemClassNames: ReadonlySet<string> = new Set([systemClusterCritical.name, systemNodeCritical.name])

/** Returns the classes that pods refer to and the snapshot lacks, each with the priority of a pod admitted with it, or 0. */
const missingClassesOf = (listed: ReadonlyArray<LoadedObject>): ReadonlyArray<PriorityClass> => {
  const known = new Set(listed.flatMap(({ kind, object }) => (kind === "PriorityClass" ? [object.metadata.name] : [])))
  const found = new Map<string, PriorityClass>()
  for (const { preemptionPolicy, priority, priorityClassName: name = "" } of podSpecsOf(listed)) {
    if (name === "" || known.has(name) || systemClassNames.has(name)) continue
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

/** A pod, by its labels, of an owner that the snapshot lacks. */
export interface OutsidePod {
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly owner: OutsideOwner
}

/** Returns one pod of each missing owner, by namespace. One is enough: pods of one template match the same selectors. */
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
 * Pauses a Deployment (`spec.paused`) whose ReplicaSets the snapshot lacks: it would create new ones, and with them all its pods a
 * second time.
 */
const pauseIfOrphaned = (deployment: Deployment, pods: ReadonlyArray<OutsidePod>): Deployment =>
  pods.some(
    ({ labels, owner }) => owner.kind === "ReplicaSet" && matchesLabelSelector(deployment.spec.selector, labels)
  )
    ? { ...deployment, spec: { ...deployment.spec, paused: true } }
    : deployment

/** Returns the UIDs of StatefulSets and DaemonSets with pods but without ControllerRevisions. A set without pods needs none. */
export const setsWithoutRevisions = (listed: ReadonlyArray<Listed>): ReadonlySet<string | undefined> => {
  const ownersOf = (kind: KindName) =>
    new Set(listed.flatMap((one) => (one.kind === kind ? [getControllerOf(one.object)?.uid] : [])))
  const [pods, revisions] = [ownersOf("Pod"), ownersOf("ControllerRevision")]
  // Objects written by hand have no uid unless others refer to them.
  pods.delete(undefined)
  const isSet = ({ kind }: Listed): boolean => kind === "StatefulSet" || kind === "DaemonSet"
  return new Set(
    listed
      .filter((one) => isSet(one) && pods.has(one.object.metadata.uid) && !revisions.has(one.object.metadata.uid))
      .map(({ object }) => object.metadata.uid)
  )
}

/** Sets OnDelete on a set without revisions: it would take all its pods for outdated and replace them one by one. */
const stopRollout = <A extends StatefulSet | DaemonSet>(set: A, hasRevision: boolean): A =>
  hasRevision ? set : { ...set, spec: { ...set.spec, updateStrategy: { type: "OnDelete" } } }

/** Removes the job-tracking finalizer from a pod whose Job the snapshot lacks: no controller would count the pod and remove it. */
const removeJobFinalizer = (pod: Pod, outside: ReadonlySet<string | undefined>): Pod => {
  const { finalizers } = pod.metadata
  if (finalizers?.includes(JOB_TRACKING) !== true || !outside.has(getControllerOf(pod)?.uid)) return pod
  return { ...pod, metadata: { ...pod.metadata, finalizers: finalizers.filter((name) => name !== JOB_TRACKING) } }
}

/** Returns whether a budget's number of healthy pods is computed from the replicas of their controllers. */
const dependsOnReplicas = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string"

/** Returns whether a budget depends on the replicas of missing owners, which cannot be counted again. */
export const dependsOnOutside = (budget: PodDisruptionBudget, pods: ReadonlyArray<OutsidePod>): boolean =>
  dependsOnReplicas(budget) && pods.some(({ labels }) => matchesLabelSelector(budget.spec?.selector, labels))

/** Fixes a budget that depends on missing owners at the number of healthy pods that its controller last computed. */
const fixDesiredHealthy = (budget: PodDisruptionBudget, pods: ReadonlyArray<OutsidePod>): PodDisruptionBudget => {
  const { spec, status } = budget
  if (status === undefined || !dependsOnOutside(budget, pods)) return budget
  const { maxUnavailable: _, ...rest } = spec ?? {}
  return { ...budget, spec: { ...rest, minAvailable: status.desiredHealthy } }
}

/**
 * Completes a snapshot: infers missing objects from the references of others (owners, priority classes), and stops the controllers of
 * objects that would act wrongly without the missing ones. It invents nothing else.
 */
export const completeSnapshot = (
  loaded: ReadonlyArray<LoadedObject>,
  coverage: Pick<Coverage, "whole">
): CompleteSnapshot => {
  const listed = withReferredUids(loaded)
  const outside = outsideOwnersOf(listed, coverage.whole)
  const outsideUids = new Set(outside.map(({ uid }) => uid))
  const outsidePods = outsidePodsOf(outside)
  const outsidePodsBeside = (one: LoadedObject) => outsidePods.get(namespaceOf(one)) ?? []
  const setsWithoutRevision = setsWithoutRevisions(listed)
  /** Stops the controller of an object from acting wrongly because of missing objects. */
  const stopController = (one: LoadedObject): LoadedObject["object"] => {
    const { kind, object } = one
    if (kind === "Pod") return removeJobFinalizer(object as Pod, outsideUids)
    if (kind === "Deployment") return pauseIfOrphaned(object as Deployment, outsidePodsBeside(one))
    if (kind === "PodDisruptionBudget") return fixDesiredHealthy(object as PodDisruptionBudget, outsidePodsBeside(one))
    if (kind === "StatefulSet" || kind === "DaemonSet") {
      return stopRollout(object as StatefulSet | DaemonSet, !setsWithoutRevision.has(object.metadata.uid))
    }
    return object
  }
  const classes = coverage.whole.has("PriorityClass") ? [] : missingClassesOf(listed)
  const [first] = listed
  const objects = listed.map((one) => {
    const object = stopController(one)
    return object === one.object ? one : { ...one, object }
  })
  const untracked = objects.flatMap((one, index) =>
    one.kind === "Deployment" && one !== listed[index]
      ? [`Deployment/${namespaceOf(one)}/${one.object.metadata.name}`]
      : []
  )
  return {
    // Without their owned objects: a run keeps the owners to its end, and they would keep the whole snapshot in memory.
    outside: outside.map((owner) => ({ ...owner, owned: [] })),
    classes,
    untracked: new Set(untracked),
    objects:
      first === undefined
        ? objects
        : [...classes.map((object): LoadedObject => ({ ...first, kind: "PriorityClass", object })), ...objects]
  }
}
