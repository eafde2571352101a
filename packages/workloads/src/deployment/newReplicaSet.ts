import { controllerReference, type Deployment, type ReplicaSet } from "@rollcall/api"
import { replicasOf, rolloutBounds } from "./bounds.ts"
import { labelPodTemplateHash, podTemplateHash } from "./podTemplateHash.ts"

export const annotationRevision = "deployment.kubernetes.io/revision"
export const annotationDesiredReplicas = "deployment.kubernetes.io/desired-replicas"
export const annotationMaxReplicas = "deployment.kubernetes.io/max-replicas"

/** Annotations of a deployment that its sets do not inherit. Upstream: deployment_util.go annotationsToSkip. */
const notInherited = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  annotationRevision,
  "deployment.kubernetes.io/revision-history",
  annotationDesiredReplicas,
  annotationMaxReplicas,
  "deprecated.deployment.rollback.to"
])

export const revisionOf = ({ metadata }: Pick<ReplicaSet, "metadata">): number =>
  Number(metadata.annotations?.[annotationRevision] ?? 0) || 0

/** The revision of the newest set: one more than all old ones have. */
export const newestRevision = (old: ReadonlyArray<ReplicaSet>): number =>
  old.reduce((highest, replicaSet) => Math.max(highest, revisionOf(replicaSet)), 0) + 1

/** What a set notes of the size of its deployment. */
export const sizeAnnotations = (deployment: Deployment): Readonly<Record<string, string>> => ({
  [annotationDesiredReplicas]: String(replicasOf(deployment)),
  [annotationMaxReplicas]: String(replicasOf(deployment) + rolloutBounds(deployment).maxSurge)
})

/** The set that a deployment makes for its present template. Upstream: pkg/controller/deployment/sync.go getNewReplicaSet. */
export const newReplicaSet = (deployment: Deployment, revision: number, replicas: number): ReplicaSet => {
  const { metadata, spec } = deployment
  const hash = podTemplateHash(spec.template, deployment.status?.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [labelPodTemplateHash]: hash }
  const inherited = Object.entries(metadata.annotations ?? {}).filter(([name]) => !notInherited.has(name))
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? "default",
      labels,
      annotations: {
        ...Object.fromEntries(inherited),
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

/** Kubernetes keeps ten old sets to roll back to. */
const DEFAULT_HISTORY = 10

/** Old sets beyond the history, oldest revision first, as far as they are empty. Upstream: sync.go cleanupDeployment. */
export const setsBeyondHistory = ({ spec }: Deployment, old: ReadonlyArray<ReplicaSet>): ReadonlyArray<ReplicaSet> => {
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const excess = alive.length - (spec.revisionHistoryLimit ?? DEFAULT_HISTORY)
  if (excess <= 0) return []
  return alive
    .toSorted((left, right) => revisionOf(left) - revisionOf(right))
    .slice(0, excess)
    .filter(
      ({ metadata, spec: { replicas }, status }) =>
        replicas === 0 &&
        (status?.replicas ?? 0) === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
    )
}
