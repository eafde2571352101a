import { controllerReference, type Deployment, type ReplicaSet } from "@rollcall/api"
import { replicasOf, rolloutBounds } from "./bounds.ts"
import { labelPodTemplateHash, podTemplateHash } from "./podTemplateHash.ts"
import { annotationRevision, byRevision, newestRevision, revisionOf } from "./revision.ts"

export const annotationDesiredReplicas = "deployment.kubernetes.io/desired-replicas"
export const annotationMaxReplicas = "deployment.kubernetes.io/max-replicas"

/** Annotations of a deployment that its sets do not inherit. Upstream: deployment_util.go annotationsToSkip. */
const annotationsToSkip = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  annotationRevision,
  "deployment.kubernetes.io/revision-history",
  annotationDesiredReplicas,
  annotationMaxReplicas,
  "deprecated.deployment.rollback.to"
])

const annotationRevisionHistory = "deployment.kubernetes.io/revision-history"
/** The longest value of the revision history annotation, in characters. Upstream: maxRevHistoryLengthInChars. */
const MAX_HISTORY_LENGTH = 2000

/** The annotations that a deployment copies to its newest set. Upstream: copyDeploymentAnnotationsToReplicaSet. */
const inheritedAnnotations = ({ metadata }: Deployment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !annotationsToSkip.has(name)))

/** Appends a revision to a comma-separated history, and drops the oldest entries beyond the length limit. */
const appendToHistory = (before: string | undefined, revision: string): string => {
  const revisions = before === undefined || before === "" ? [] : before.split(",")
  while (revisions.length > 0 && [...revisions, revision].join().length > MAX_HISTORY_LENGTH) revisions.shift()
  return [...revisions, revision].join()
}

/**
 * Returns the newest set with its deployment's current annotations, minReadySeconds and revision; the same object if
 * nothing changes. After a rollback the newest set is an older one: its revision becomes the highest. Upstream: sync.go
 * getNewReplicaSet, SetNewReplicaSetAnnotations.
 */
export const withDeploymentFields = (
  deployment: Deployment,
  newest: ReplicaSet,
  old: ReadonlyArray<ReplicaSet>
): ReplicaSet => {
  const before = newest.metadata.annotations ?? {}
  const highest = newestRevision(old)
  const ownRevision = before[annotationRevision]
  const own = ownRevision === "" ? 0n : revisionOf(newest)
  const isRaised = own !== undefined && own < highest
  const annotations: Readonly<Record<string, string>> = {
    ...before,
    ...inheritedAnnotations(deployment),
    ...(isRaised ? { [annotationRevision]: String(highest) } : {}),
    ...(isRaised && ownRevision !== undefined
      ? { [annotationRevisionHistory]: appendToHistory(before[annotationRevisionHistory], ownRevision) }
      : {})
  }
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  // Upstream gives up on a revision that is no number, and takes over annotations only with other changes.
  const isSame = own === undefined || Object.entries(annotations).every(([name, value]) => before[name] === value)
  if (isSame && (newest.spec.minReadySeconds ?? 0) === minReadySeconds) return newest
  return { ...newest, metadata: { ...newest.metadata, annotations }, spec: { ...newest.spec, minReadySeconds } }
}

/**
 * The annotations of a set about the size of its deployment: the desired replicas, and the most that may exist during a
 * rollout.
 */
export const sizeAnnotations = (deployment: Deployment): Readonly<Record<string, string>> => ({
  [annotationDesiredReplicas]: String(replicasOf(deployment)),
  [annotationMaxReplicas]: String(replicasOf(deployment) + rolloutBounds(deployment).maxSurge)
})

/**
 * The set that a deployment creates for its current template. Upstream: pkg/controller/deployment/sync.go
 * getNewReplicaSet.
 */
export const newReplicaSet = (deployment: Deployment, revision: bigint, replicas: number): ReplicaSet => {
  const { metadata, spec } = deployment
  const hash = podTemplateHash(spec.template, deployment.status?.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [labelPodTemplateHash]: hash }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? "default",
      labels,
      annotations: {
        ...inheritedAnnotations(deployment),
        ...sizeAnnotations(deployment),
        [annotationRevision]: String(revision)
      },
      ownerReferences: [controllerReference(deployment)]
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [labelPodTemplateHash]: hash }
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } }
    }
  }
}

/** The default revisionHistoryLimit. */
const DEFAULT_HISTORY = 10

/** Old sets beyond the history limit that have no pods, oldest revision first. Upstream: sync.go cleanupDeployment. */
export const setsBeyondHistory = ({ spec }: Deployment, old: ReadonlyArray<ReplicaSet>): ReadonlyArray<ReplicaSet> => {
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const excess = alive.length - (spec.revisionHistoryLimit ?? DEFAULT_HISTORY)
  if (excess <= 0) return []
  return alive
    .toSorted(byRevision)
    .slice(0, excess)
    .filter(
      ({ metadata, spec: { replicas }, status }) =>
        replicas === 0 &&
        (status?.replicas ?? 0) === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
    )
}
