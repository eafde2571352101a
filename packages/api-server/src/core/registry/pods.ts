import { type Container, kinds, type Pod, type PodStatus, podScheduled, qosClassOf } from "@rollcall/api"
import { validateEphemeralContainersUpdate, validatePodResize } from "@rollcall/api/validation"
import { holdsEmpties } from "@rollcall/api/wire"
import { appArmorWarnings, withAppArmorFields } from "./appArmor.ts"
import { withoutDisabledPodFields, withoutDisabledVolumeStatus } from "./disabledPodFields.ts"
import type { KindOptions } from "./KindDefinition.ts"
import { withLabelKeys } from "./labelKeys.ts"
import { RecentSpecs } from "./RecentSpecs.ts"
import { keepingMetadata, withResetMetadata } from "./statusMetadata.ts"

/** Returns the status of a new pod, whatever the caller sent: Pending, and not scheduled if the pod has gates. */
const pendingStatus = (pod: Pod): PodStatus => {
  const status: PodStatus = { phase: "Pending", qosClass: qosClassOf(pod) }
  if ((pod.spec.schedulingGates?.length ?? 0) === 0) return status
  const message = "Scheduling is blocked due to non-empty scheduling gates"
  const lastTransitionTime = pod.metadata.creationTimestamp
  const since = { lastProbeTime: null, ...(lastTransitionTime && { lastTransitionTime }) }
  const gated = { type: podScheduled, status: "False", ...since, reason: "SchedulingGated", message } as const
  return { ...status, conditions: [gated] }
}

const received = new RecentSpecs()
const admitted = new RecentSpecs()

/** Sets the defaults of a new pod. Those of its resources depend on more than its spec. */
const withDefaultsOfNew = (pod: Pod): Pod => {
  const { defaults } = kinds.Pod
  if (pod.spec === undefined || pod.spec.resources !== undefined || holdsEmpties(pod)) return defaults(pod)
  const spec = received.get(pod.spec, (given) => defaults({ ...pod, spec: given }).spec)
  const completed = { ...pod, spec }
  return pod.metadata.annotations === undefined ? completed : defaults(completed)
}

const withSharedSpec = (pod: Pod): Pod => {
  const spec = holdsEmpties(pod) ? pod.spec : admitted.get(pod.spec, (given) => given)
  return spec === pod.spec ? pod : { ...pod, spec }
}

/** Returns the conditions with the generations of those before, where they have none. */
const withKeptGenerations = (conditions: PodStatus["conditions"], stored: PodStatus["conditions"]) => {
  if (!stored?.some(({ observedGeneration = 0 }) => observedGeneration !== 0)) return conditions
  // Several conditions may have one type.
  const left = [...stored]
  return conditions?.map((condition) => {
    const index = left.findIndex(({ type }) => type === condition.type)
    const { observedGeneration } = index < 0 ? condition : (left.splice(index, 1)[0] ?? condition)
    return condition.observedGeneration || !observedGeneration ? condition : { ...condition, observedGeneration }
  })
}

/** Returns the pod with the parts of its status that kubelets may omit. */
const withKeptStatus = (pod: Pod, stored: Pod): Pod => {
  const { observedGeneration, qosClass, ...status } = pod.status ?? {}
  const before = stored.status ?? {}
  const conditions = withKeptGenerations(status.conditions, before.conditions)
  const generation = observedGeneration || before.observedGeneration
  const qos = qosClass || before.qosClass
  const isKept = generation === observedGeneration && qos === qosClass && conditions === status.conditions
  if (isKept) return pod
  return {
    ...pod,
    status: {
      ...(generation ? { observedGeneration: generation } : {}),
      ...status,
      ...(conditions && { conditions }),
      ...(qos && { qosClass: qos })
    }
  }
}

const nodeClaims = "nodeAllocatableResourceClaimStatuses"

/** Returns the pod without the field of its status whose gate (DRANodeAllocatableResources) is off, unless it is stored. */
const withoutDisabledStatus = (pod: Pod, stored: Pod): Pod => {
  if (pod.status === undefined || !(nodeClaims in pod.status) || (stored.status && nodeClaims in stored.status))
    return pod
  const { [nodeClaims]: _, ...status } = pod.status as PodStatus & { readonly [nodeClaims]?: unknown }
  return { ...pod, status }
}

const statusIn = ({ status }: Pod): Pick<Pod, "status"> => (status === undefined ? {} : { status })

/** Returns the stored pod with the caller's ephemeral containers, and with the owners of its fields. */
const withEphemeralContainers = (pod: Pod, stored: Pod): Pod => {
  const { ephemeralContainers: _, ...spec } = stored.spec
  const { ephemeralContainers } = pod.spec
  return withResetMetadata(
    { ...pod, spec: ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers }, ...statusIn(stored) },
    stored
  )
}

type Containers = ReadonlyArray<Container> | undefined

/** Returns the stored containers with the caller's resources; the caller's, if they are not the same ones. */
const withResourcesOf = (given: Containers, stored: Containers): Containers => {
  if (given === undefined || given.some(({ name }, index) => name !== stored?.[index]?.name)) return given
  return stored?.map((container, index) => {
    const { resizePolicy: _policy, resources: _resources, ...rest } = container
    const { resizePolicy, resources } = given[index] ?? container
    return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) }
  })
}

/** Returns the stored pod with the caller's resources; the caller's pod, if it has other containers. */
const withResources = (pod: Pod, stored: Pod): Pod => {
  const lists = ["containers", "initContainers"] as const
  if (lists.some((list) => pod.spec[list]?.length !== stored.spec[list]?.length)) return pod
  const containers = withResourcesOf(pod.spec.containers, stored.spec.containers) ?? []
  const initContainers = withResourcesOf(pod.spec.initContainers, stored.spec.initContainers)
  const { resources: _, ...spec } = stored.spec
  const { resources } = pod.spec
  const resized = { ...spec, containers, ...(initContainers && { initContainers }), ...(resources && { resources }) }
  return withResetMetadata({ ...pod, spec: resized, ...statusIn(stored) }, stored)
}

/** A pod's status moves neither its deletion nor its owners. Upstream: pkg/registry/core/pod/strategy.go. */
const withStoredOwners = keepingMetadata("deletionTimestamp", "ownerReferences")

export const pods: KindOptions<Pod> = {
  subresources: ["status", "binding", "eviction", "ephemeralcontainers", "resize"],
  parts: {
    ephemeralcontainers: { prepare: withEphemeralContainers, validate: validateEphemeralContainersUpdate },
    resize: { prepare: withResources, validate: validatePodResize }
  },
  returnsDeleted: true,
  tracksGeneration: true,
  // Of a new pod's status, `prepareForCreate` keeps a part.
  initialStatus: undefined,
  // Every kubelet watches the pods of its node.
  indexedField: "spec.nodeName",
  strategy: {
    defaultsOfNew: withDefaultsOfNew,
    prepareForCreate: (pod) =>
      withSharedSpec(
        withAppArmorFields(withoutDisabledPodFields({ ...withLabelKeys(pod), status: pendingStatus(pod) }))
      ),
    prepareWarnings: appArmorWarnings,
    prepareForUpdate: withoutDisabledPodFields,
    // What admission sets in containers counts for a pod with resources of its own.
    asReadBack: (pod) => (pod.spec.resources === undefined ? pod : kinds.Pod.defaults(pod)),
    // Old kubelets send outdated ownerReferences with the status, so the stored ones stay.
    prepareForStatusUpdate: (pod, stored) =>
      withStoredOwners(
        withKeptStatus(withoutDisabledStatus(withoutDisabledVolumeStatus(pod, stored), stored), stored),
        stored
      )
  }
}
