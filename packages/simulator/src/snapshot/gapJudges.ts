import {
  type Affinity,
  type CSIDriver,
  isPodTerminal,
  type KindName,
  type KubeObject,
  type Lease,
  nodeLeaseNamespace,
  type PersistentVolumeClaim,
  type Pod,
  type Service
} from "@rollcall/api"
import { some } from "@rollcall/text"
import { claimsOfPod } from "@rollcall/volumes"
import { assumedVolumes } from "../input/snapshotVolumes.ts"
import { podSpecsOf, setsWithoutRevisions } from "./completeSnapshot.ts"
import { type Evidence, type GapCheck, KEEPS_OWNED, ownersText } from "./gapEvidence.ts"
import type { SnapshotReader } from "./snapshotKinds.ts"

/** Returns the name of a namespaced object, as messages show it. */
const nameOf = ({ metadata: { name, namespace = "default" } }: KubeObject): string => `${namespace}/${name}`

const noneMessage = (kind: KindName, consequence: string): string => `the snapshot has no ${kind}: ${consequence}`

const hasPods = ({ of }: Evidence): boolean => of<Pod>("Pod").some((pod) => !isPodTerminal(pod))

/** Returns the check that a snapshot has a kind, if that matters. `consequence` is what follows for each reader. */
const missingKind =
  (
    kind: KindName,
    matters: (evidence: Evidence) => boolean,
    consequence: Readonly<Partial<Record<SnapshotReader, string>>>
  ): GapCheck =>
  (evidence) => {
    const text = consequence[evidence.reader]
    return text === undefined || evidence.isShown(kind) || !matters(evidence) ? undefined : noneMessage(kind, text)
  }

/** The kinds whose missing owner changes a run: pods, and the kinds that create pods. */
const podCreatingKinds: ReadonlySet<KindName> = new Set(["Pod", "ReplicaSet", "Job"])

/** Returns the check for missing owners of a kind, which also fails if the snapshot has other objects of the kind. */
const missingOwners =
  (kind: string, consequence: Readonly<Partial<Record<SnapshotReader, string>>>): GapCheck =>
  ({ outside, reader }) => {
    const text = consequence[reader]
    const owners = outside.filter(
      (owner) => owner.kind === kind && owner.isModelled && owner.owned.some((one) => podCreatingKinds.has(one.kind))
    )
    return text === undefined || owners.length === 0 ? undefined : ownersText(kind, owners, text)
  }

const ASSUMES_REPLACED = "their numbers of replicas are not known; the plan assumes that each evicted pod is replaced"

const priorityClasses: GapCheck = ({ isShown, listed, of, reader }) => {
  if (isShown("PriorityClass")) return undefined
  const specs = reader === "plan drain" ? of<Pod>("Pod").map(({ spec }) => spec) : podSpecsOf(listed)
  const named = specs.filter(({ priorityClassName: name = "" }) => name !== "" && !name.startsWith("system-"))
  const known = new Set(
    named.flatMap(({ priority, priorityClassName }) => (priority === undefined ? [] : [priorityClassName]))
  )
  const names = [...new Set(named.map(({ priorityClassName = "" }) => priorityClassName))]
  const unknown = names.filter((name) => !known.has(name))
  const reportedNames = reader === "plan drain" ? unknown : names
  if (reportedNames.length === 0) return undefined
  const assumed = [
    ...(unknown.length < reportedNames.length ? ["new pods get the priority of existing pods of the same class"] : []),
    ...(unknown.length > 0 ? [`the priority of ${some(unknown)} is not known, and assumed to be 0`] : [])
  ]
  return noneMessage("PriorityClass", `pods name ${some(reportedNames)}; ${assumed.join("; ")}`)
}

const revisions: GapCheck = ({ listed, reader }) => {
  if (reader !== "simulate") return undefined
  const sets = setsWithoutRevisions(listed)
  if (sets.size === 0) return undefined
  const names = listed.filter(({ object }) => sets.has(object.metadata.uid)).map(({ object }) => nameOf(object))
  return `the snapshot lacks the ControllerRevisions of ${some(names)}: which of their pods match the current template is not known, and no rollout happens`
}

const deployments: GapCheck = (evidence) =>
  missingOwners("Deployment", {
    simulate: "their ReplicaSets keep their size; rollouts and ready pods of the Deployments are not known",
    "plan drain": "budgets count the replicas of their ReplicaSets"
  })(evidence)

const hasClaims = ({ of }: Evidence): boolean => of<Pod>("Pod").some((pod) => claimsOfPod(pod).length > 0)

const unboundClaims = ({ of }: Evidence): ReadonlyArray<PersistentVolumeClaim> =>
  of<PersistentVolumeClaim>("PersistentVolumeClaim").filter(({ spec }) => (spec?.volumeName ?? "") === "")

const selectsNamespaces = ({ podAffinity, podAntiAffinity }: Affinity): boolean =>
  [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm)
    ].some(({ namespaceSelector }) => Object.keys(namespaceSelector ?? {}).length > 0)
  )

/** Only plans check volumes here: a rehearsal has its own warning about the volumes that it assumes. */
const volumes: GapCheck = ({ listed, reader }) => {
  const { warnings } = assumedVolumes(listed)
  return reader === "plan drain" ? warnings[0] : undefined
}

const storageClasses: GapCheck = (evidence) =>
  evidence.reader === "plan drain" && !evidence.isShown("StorageClass") && unboundClaims(evidence).length > 0
    ? noneMessage(
        "StorageClass",
        "whether unbound claims wait for their first pod is not known: their pods are planned as not schedulable"
      )
    : undefined

const withoutSlices: GapCheck = ({ isShown, of, reader }) =>
  reader === "simulate" &&
  !isShown("EndpointSlice") &&
  of<Service>("Service").some(({ spec }) => Object.keys(spec?.selector ?? {}).length > 0)
    ? noneMessage("EndpointSlice", "they are created in the first seconds")
    : undefined

const capacities: GapCheck = (evidence) =>
  !evidence.isShown("CSIStorageCapacity") &&
  evidence.of<CSIDriver>("CSIDriver").some(({ spec }) => spec?.storageCapacity === true) &&
  unboundClaims(evidence).length > 0
    ? noneMessage("CSIStorageCapacity", "the capacity for new volumes is not known: the scheduler sees none")
    : undefined

const hasNodes = ({ of }: Evidence): boolean => of("Node").length > 0

/** Leases of other namespaces are for leader election. Without the time of the reading, Leases cannot show which nodes are silent. */
const leases: GapCheck = (evidence) => {
  const { isDated, of, reader } = evidence
  if (!hasNodes(evidence)) return undefined
  if (of<Lease>("Lease").some(({ metadata }) => metadata.namespace === nodeLeaseNamespace)) return undefined
  if (reader === "plan evictions") {
    return "no Lease of kube-node-lease can be read: which nodes have stopped their heartbeats is not known"
  }
  return reader === "simulate" && isDated
    ? noneMessage(
        "Lease",
        "whether Ready nodes had stopped their heartbeats is not known: they are assumed to be healthy"
      )
    : undefined
}

/** What pods use is in no snapshot. */
const autoscalers: GapCheck = ({ of, reader }) => {
  const names = of<KubeObject>("HorizontalPodAutoscaler").map(nameOf)
  return reader !== "simulate" || names.length === 0
    ? undefined
    : `the snapshot does not say what pods use: unless a layer provides metrics, the HorizontalPodAutoscalers ${some(names)} keep the numbers of replicas`
}

const UNKNOWN_BUDGETS = "whether a budget blocks an eviction is not known"

const noPods = missingKind("Pod", hasNodes, {
  simulate: "the pods on its nodes are not known: the nodes are assumed to be empty",
  "plan drain": "the pods on its nodes are not known: the nodes are assumed to be empty",
  "plan evictions": "the pods to evict are not known"
})

/** `kubectl get pods` without -A reads one namespace. Only an API server sets a resourceVersion: a file written by hand is as it is meant. */
const podsOfOneNamespace: GapCheck = ({ isWhole, of }) => {
  const pods = isWhole("Pod") ? [] : of<Pod>("Pod").filter(({ metadata }) => metadata.resourceVersion !== undefined)
  const [namespace, ...others] = new Set(pods.map(({ metadata }) => metadata.namespace ?? "default"))
  return namespace === undefined || others.length > 0
    ? undefined
    : `all Pods of the snapshot are in namespace ${namespace}: if it was taken without -A (--all-namespaces), the pods of other namespaces on its nodes are not known`
}

/** The check of each kind that may be missing. */
export const gapChecks: ReadonlyArray<readonly [KindName, GapCheck]> = [
  ["Pod", (evidence) => noPods(evidence) ?? podsOfOneNamespace(evidence)],
  ["ReplicaSet", missingOwners("ReplicaSet", { simulate: KEEPS_OWNED, "plan drain": ASSUMES_REPLACED })],
  ["StatefulSet", missingOwners("StatefulSet", { simulate: KEEPS_OWNED, "plan drain": ASSUMES_REPLACED })],
  ["DaemonSet", missingOwners("DaemonSet", { simulate: KEEPS_OWNED, "plan drain": "they are assumed to exist" })],
  [
    "ReplicationController",
    missingOwners("ReplicationController", { simulate: KEEPS_OWNED, "plan drain": ASSUMES_REPLACED })
  ],
  ["Job", missingOwners("Job", { simulate: KEEPS_OWNED })],
  ["CronJob", missingOwners("CronJob", { simulate: "their schedules are not known: they start no Jobs" })],
  ["HorizontalPodAutoscaler", autoscalers],
  ["Deployment", deployments],
  ["ControllerRevision", revisions],
  [
    "PodDisruptionBudget",
    missingKind("PodDisruptionBudget", hasPods, {
      simulate: `${UNKNOWN_BUDGETS}: the run assumes that none does`,
      "plan drain": `${UNKNOWN_BUDGETS}: the plan assumes that none does`
    })
  ],
  ["PriorityClass", priorityClasses],
  [
    "RuntimeClass",
    missingKind(
      "RuntimeClass",
      ({ listed }) => podSpecsOf(listed).some(({ runtimeClassName }) => (runtimeClassName ?? "") !== ""),
      { simulate: "new pods that name one get no overhead of it, and are not restricted to its nodes" }
    )
  ],
  [
    "Service",
    missingKind("Service", hasPods, {
      simulate: "the endpoints of services are not known: they are not tracked, and pods are not spread by service",
      "plan drain": "pods are not spread by service"
    })
  ],
  ["EndpointSlice", withoutSlices],
  [
    "Namespace",
    missingKind(
      "Namespace",
      ({ listed }) => podSpecsOf(listed).some(({ affinity }) => affinity !== undefined && selectsNamespaces(affinity)),
      {
        simulate: "the namespaces that the namespaceSelectors of pods select are not known: they select none",
        "plan drain": "the namespaces that the namespaceSelectors of pods select are not known: they select none"
      }
    )
  ],
  [
    "VolumeAttachment",
    missingKind("VolumeAttachment", hasClaims, {
      simulate:
        "the nodes that volumes are attached to are not known: each is assumed to be attached to the nodes of its pods"
    })
  ],
  ["PersistentVolumeClaim", volumes],
  ["StorageClass", storageClasses],
  [
    "CSINode",
    missingKind("CSINode", hasClaims, {
      simulate: "the volume limits of nodes are not known: none is assumed",
      "plan drain": "the volume limits of nodes are not known: none is assumed"
    })
  ],
  [
    "CSIDriver",
    missingKind("CSIDriver", (evidence) => unboundClaims(evidence).length > 0, {
      simulate: "the capacity for new volumes is not known: it is assumed to be enough",
      "plan drain": "the capacity for new volumes is not known: it is assumed to be enough"
    })
  ],
  ["CSIStorageCapacity", capacities],
  ["Lease", leases]
]
