import type { Pod } from "./objects/Pod.ts"

/** The objects in its namespace that a pod uses, by name. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>
  readonly configMaps: ReadonlySet<string>
  readonly claims: ReadonlySet<string>
  readonly resourceClaims: ReadonlySet<string>
}

/** A part of a pod that is not modelled, so that any field may be absent. */
type Loose = { readonly [key: string]: Loose | undefined } & { readonly name?: unknown }

const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null
const listOf = (value: unknown): ReadonlyArray<Loose> => (Array.isArray(value) ? value.filter(isLoose) : [])
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Returns the objects that a pod uses. The claim of an ephemeral volume has the name `<pod>-<volume>`. Upstream:
 * pkg/api/v1/pod/util.go, VisitPodSecretNames and VisitPodConfigmapNames; component-helpers/storage/ephemeral.
 */
export const podReferences = (pod: Pod): PodReferences => {
  const secrets = new Set<string>()
  const configMaps = new Set<string>()
  const claims = new Set<string>()
  const resourceClaims = new Set<string>()
  const add = (names: Set<string>, name: unknown) => {
    if (textOf(name) !== "") names.add(textOf(name))
  }
  const { spec } = pod
  for (const { name } of spec.imagePullSecrets ?? []) add(secrets, name)
  for (const container of containersOf(pod)) {
    for (const source of listOf(container.envFrom)) {
      add(secrets, source.secretRef?.name)
      add(configMaps, source.configMapRef?.name)
    }
    for (const { valueFrom } of listOf(container.env)) {
      add(secrets, valueFrom?.secretKeyRef?.name)
      add(configMaps, valueFrom?.configMapKeyRef?.name)
    }
  }
  for (const volume of listOf(spec.volumes)) {
    add(configMaps, volume.configMap?.name)
    add(claims, volume.persistentVolumeClaim?.claimName)
    if (volume.ephemeral !== undefined) add(claims, `${pod.metadata.name}-${textOf(volume.name)}`)
    for (const source of listOf(volume.projected?.sources)) {
      add(secrets, source.secret?.name)
      add(configMaps, source.configMap?.name)
    }
    // Every type of volume with a secret has it under one of these names.
    for (const source of Object.values(volume).filter(isLoose)) {
      add(secrets, source.secretName)
      add(secrets, source.secretRef?.name)
      add(secrets, source.nodePublishSecretRef?.name)
    }
  }
  for (const name of resourceClaimsOf(pod)) add(resourceClaims, name)
  return { secrets, configMaps, claims, resourceClaims }
}

const containersOf = ({ spec }: Pod): ReadonlyArray<Loose> => [
  ...listOf(spec.initContainers),
  ...listOf(spec.containers),
  ...listOf(spec.ephemeralContainers)
]

/** Returns the names of resource claims: the spec has them, or the status for claims made from a template. */
const resourceClaimsOf = ({ spec, status }: Pod): ReadonlyArray<unknown> => {
  const claimStatuses = listOf(
    (status as { readonly resourceClaimStatuses?: unknown } | undefined)?.resourceClaimStatuses
  )
  const extended = (status as { readonly extendedResourceClaimStatus?: unknown } | undefined)
    ?.extendedResourceClaimStatus
  return [
    ...(spec.resourceClaims ?? []).map(
      ({ name, resourceClaimName }) =>
        resourceClaimName ?? claimStatuses.find((claim) => claim.name === name)?.resourceClaimName
    ),
    isLoose(extended) ? extended.resourceClaimName : undefined
  ]
}

/** Returns the audiences of the service account tokens that a pod mounts; the server's own is "". */
export const tokenAudiences = ({ spec }: Pod): ReadonlySet<string> => {
  const audiences = new Set<string>()
  for (const volume of listOf(spec.volumes)) {
    for (const { serviceAccountToken } of listOf(volume.projected?.sources)) {
      if (serviceAccountToken !== undefined) audiences.add(textOf(serviceAccountToken.audience))
    }
  }
  return audiences
}

/** Whether the pod mounts this source of a projected volume: `serviceAccountToken`, `clusterTrustBundle`, … */
export const projects = ({ spec }: Pod, source: string): boolean =>
  listOf(spec.volumes).some((volume) => listOf(volume.projected?.sources).some((given) => given[source] !== undefined))
