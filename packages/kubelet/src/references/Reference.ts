import type { Container, Pod } from "@rollcall/api"

/** The kinds of objects that a pod's volumes, variables and sandbox need. */
export type ReferencedKind = "ConfigMap" | "Secret" | "PersistentVolumeClaim" | "PersistentVolume" | "RuntimeClass"

/** Whether an object of the kind that is missing in the namespace ("" for volumes and RuntimeClasses) holds the pods that refer to it. */
export type HeldBy = (kind: ReferencedKind, namespace: string) => boolean

/** An object that a pod reads. */
export interface Reference {
  readonly kind: ReferencedKind
  readonly name: string
  readonly isOptional: boolean
  /** The keys that are read; empty if all are. */
  readonly keys: ReadonlyArray<string>
}

/** A source of a variable, of variables, or of the files of a volume. */
export type Source = Readonly<Record<string, unknown>> & { readonly prefix?: string }

interface AnySource {
  readonly name?: string
  readonly secretName?: string
  readonly key?: string
  readonly optional?: boolean
  readonly items?: ReadonlyArray<{ readonly key?: string }> | null
}

const referenceTo = (kind: ReferencedKind, source: AnySource): Reference | undefined => {
  const { items, key, optional = false } = source
  const name = source.name ?? source.secretName
  if (name === undefined) return undefined
  const keys = key === undefined ? (items ?? []).map((item) => item.key ?? "") : [key]
  return { kind, name, isOptional: optional, keys }
}

/** Returns the object that a source reads; undefined if it reads none. */
export const referenceIn = ({
  configMap,
  configMapKeyRef,
  configMapRef,
  secret,
  secretKeyRef,
  secretRef
}: Source): Reference | undefined => {
  const map = configMap ?? configMapKeyRef ?? configMapRef ?? undefined
  if (map !== undefined) return referenceTo("ConfigMap", map)
  const given = secret ?? secretKeyRef ?? secretRef ?? undefined
  return given === undefined ? undefined : referenceTo("Secret", given)
}

/** Returns the sources of the files of a volume. */
export const sourcesOf = (volume: object): ReadonlyArray<Source> => {
  const { projected, ...source } = volume as { readonly projected?: { readonly sources?: ReadonlyArray<object> } }
  return projected === undefined ? [source as Source] : ((projected.sources ?? []) as ReadonlyArray<Source>)
}

const isReference = (reference: Reference | undefined): reference is Reference => reference !== undefined

const NONE: ReadonlyArray<Reference> = []

/** Returns what the variables of a container read, in the order in which its kubelet reads it. */
export const variableReferences = ({
  env = [],
  envFrom = []
}: Pick<Partial<Container>, "env" | "envFrom">): ReadonlyArray<Reference> => {
  if (env.length === 0 && envFrom.length === 0) return NONE
  const variables = env.flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [valueFrom as Source]))
  return [...(envFrom as ReadonlyArray<Source>), ...variables].map(referenceIn).filter(isReference)
}

/** What a volume reads. */
export interface VolumeReferences {
  readonly volume: string
  readonly references: ReadonlyArray<Reference>
}

/** Returns all containers of a pod. */
export const containersOf = ({ containers, ephemeralContainers = [], initContainers = [] }: Pod["spec"]) => [
  ...containers,
  ...initContainers,
  ...(ephemeralContainers as ReadonlyArray<Partial<Container>>)
]

/** Returns what the volumes of a pod read. Volumes that no container mounts are not set up. */
export const volumeReferences = ({ spec }: Pod): ReadonlyArray<VolumeReferences> => {
  if (spec.volumes === undefined || spec.volumes.length === 0) return []
  const mounted = new Set(containersOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)))
  return spec.volumes
    .filter(({ name }) => mounted.has(name))
    .map((volume) => ({
      volume: volume.name,
      references: sourcesOf(volume).map(referenceIn).filter(isReference)
    }))
    .filter(({ references }) => references.length > 0)
}

/** Returns the Secrets with which a pod's images are pulled. Upstream: kubelet_pods.go, getPullSecretsForPod. */
export const pullSecrets = ({ spec }: Pod): ReadonlyArray<Reference> =>
  (spec.imagePullSecrets ?? []).flatMap(
    ({ name = "" }): ReadonlyArray<Reference> =>
      name === "" ? [] : [{ kind: "Secret", name, isOptional: false, keys: [] }]
  )
