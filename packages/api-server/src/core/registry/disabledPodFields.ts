import type { KubeObject, Pod } from "@rollcall/api"
import type { KindOptions, Strategy } from "./KindDefinition.ts"

/*
 * The fields of pods whose feature gates are off: GenericWorkload, ContainerStopSignals, ClusterTrustBundleProjection and
 * PodCertificateRequest. A write loses them, unless the stored object has the field. Upstream: pkg/api/pod/util.go,
 * dropDisabledFields.
 */

type Fields = Readonly<Record<string, unknown>>
type PodSpec = Pod["spec"]

/** Finds and removes one disabled field. */
interface Disabled {
  readonly isIn: (spec: PodSpec) => boolean
  readonly without: (spec: PodSpec) => PodSpec
}

const group: Disabled = {
  isIn: (spec) => "schedulingGroup" in spec,
  without: (spec) => {
    const { schedulingGroup: _, ...rest } = spec as PodSpec & { readonly schedulingGroup?: unknown }
    return rest
  }
}

const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const

type Container = PodSpec["containers"][number]

const withoutSignal = (container: Container): Container => {
  if (container.lifecycle?.stopSignal === undefined) return container
  const { lifecycle, ...rest } = container
  const { stopSignal: _, ...hooks } = lifecycle
  return Object.keys(hooks).length === 0 ? rest : { ...rest, lifecycle: hooks }
}

const stopSignals: Disabled = {
  isIn: (spec) =>
    containerLists.some((list) => spec[list]?.some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)),
  without: (spec) => {
    const lists = containerLists.flatMap((list) => (spec[list] ? [[list, spec[list].map(withoutSignal)]] : []))
    return { ...spec, ...Object.fromEntries(lists) }
  }
}

const projections = (field: string): Disabled => ({
  isIn: ({ volumes }) =>
    volumes?.some(({ projected }) => projected?.sources?.some((source) => field in (source as Fields))) === true,
  without: (spec) => ({
    ...spec,
    volumes: (spec.volumes ?? []).map((volume) => {
      if (volume.projected?.sources === undefined) return volume
      const sources = volume.projected.sources.map((source) => {
        const { [field]: _, ...rest } = source as Fields
        return rest
      })
      return { ...volume, projected: { ...volume.projected, sources } }
    })
  })
})

const disabled = [group, stopSignals, projections("clusterTrustBundle"), projections("podCertificate")]

/** Returns the spec without disabled fields, but for those that the stored spec has. */
const withoutDisabledFields = (spec: PodSpec, stored: PodSpec | undefined): PodSpec => {
  if (spec === stored) return spec
  let kept = spec
  for (const { isIn, without } of disabled) {
    if (isIn(kept) && (stored === undefined || !isIn(stored))) kept = without(kept)
  }
  return kept
}

/** Returns the pod without disabled fields. */
export const withoutDisabledPodFields = (pod: Pod, stored?: Pod): Pod => {
  if (pod.spec === undefined) return pod
  const spec = withoutDisabledFields(pod.spec, stored?.spec)
  return spec === pod.spec ? pod : { ...pod, spec }
}

const statusLists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] as const

interface StatusOfMounts {
  readonly volumeMounts?: ReadonlyArray<Fields>
}

const mountsOf = (status: object): ReadonlyArray<Fields> => (status as StatusOfMounts).volumeMounts ?? []

const hasVolumeStatus = ({ status }: Pod): boolean =>
  statusLists.some((list) => status?.[list]?.some((each) => mountsOf(each).some((mount) => "volumeStatus" in mount)))

/** Returns the pod without the status of image volumes: the feature gate ImageVolumeWithDigest is off. */
export const withoutDisabledVolumeStatus = (pod: Pod, stored: Pod): Pod => {
  if (!hasVolumeStatus(pod) || hasVolumeStatus(stored)) return pod
  const lists = statusLists.flatMap((list) => {
    const statuses = pod.status?.[list]?.map((each) => {
      const volumeMounts = mountsOf(each).map(({ volumeStatus: _, ...mount }) => mount)
      return volumeMounts.length === 0 ? each : { ...each, volumeMounts }
    })
    return statuses === undefined ? [] : [[list, statuses]]
  })
  return { ...pod, status: { ...pod.status, ...Object.fromEntries(lists) } }
}

/** Follows a path to an object, if there is one. */
const at = (object: unknown, path: ReadonlyArray<string>): PodSpec | undefined => {
  let found: unknown = object
  for (const field of path) found = (found as Fields | undefined)?.[field]
  return found as PodSpec | undefined
}

const replacedAt = (object: Fields, [field = "", ...rest]: ReadonlyArray<string>, value: unknown): Fields => ({
  ...object,
  [field]: rest.length === 0 ? value : replacedAt(object[field] as Fields, rest, value)
})

/** Where most kinds have the pods of their template. */
export const podTemplate = "spec.template.spec"

/** Returns the options of a kind whose template of pods is at the path, which removes the disabled fields of its pods. */
export const withTemplateAt = <A extends KubeObject>(path: string, options: KindOptions<A>): KindOptions<A> => {
  const fields = path.split(".")
  const clean = (object: A, stored?: A): A => {
    const spec = at(object, fields)
    if (spec === undefined) return object
    const kept = withoutDisabledFields(spec, at(stored, fields))
    return kept === spec ? object : (replacedAt(object as unknown as Fields, fields, kept) as unknown as A)
  }
  const { strategy } = options
  const changed: Strategy<A> = {
    ...strategy,
    prepareForCreate: (object) => {
      const kept = clean(object)
      return strategy?.prepareForCreate?.(kept) ?? kept
    },
    // First, because a strategy may count how often the template changes.
    prepareForUpdate: (object, stored) => {
      const kept = clean(object, stored)
      return strategy?.prepareForUpdate?.(kept, stored) ?? kept
    }
  }
  return { ...options, strategy: changed }
}
