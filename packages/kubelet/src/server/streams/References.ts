import type { ConfigMap, Container, Pod, Secret, Service, VolumeMount } from "@rollcall/api"
import type { ApiRequest, Connection } from "@rollcall/cluster"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { MountedObjects, Reading } from "../../references/MountedObjects.ts"
import { type Reference, referenceIn, type Source, sourcesOf, variableReferences } from "../../references/Reference.ts"
import { type TokenManager, type TokenSource, tokenKeyOf } from "../../references/TokenManager.ts"

/** The texts of objects by key, by `kind/name` of the object. */
export type Texts = ReadonlyMap<string, Readonly<Record<string, string>>>

/** What a container refers to in the API. */
export interface Referenced {
  /** The texts of ConfigMaps and Secrets in volumes, by `kind/name`. */
  readonly texts: Texts
  /** Those that the container has started with: in variables, and in mounts of a path in a volume. */
  readonly startTexts: Texts
  /** The Services that its variables name: that of the API, then those of its namespace. */
  readonly services: ReadonlyArray<Service>
  /** The tokens of its service account, by `tokenKeyOf` their sources; a text that says why there is none. */
  readonly tokens: ReadonlyMap<string, string>
}

/** What the references of a container are read with. */
interface ReferenceSource {
  readonly connection: Connection
  readonly tokens: () => TokenManager
  readonly mounted: () => MountedObjects
}

/** The run of the container, and whether changes are to be seen: see `Reading`. */
type RunReading = Pick<Reading, "isWatched" | "run">

const keyOf = ({ kind, name }: Reference): string => `${kind}/${name}`

/** Returns the key of the object that a source of an environment or of a projected volume refers to. */
export const referenceOf = (source: Source): string | undefined => {
  const reference = referenceIn(source)
  return reference === undefined ? undefined : keyOf(reference)
}

/** Returns the sources of the volumes of a container: of those that it mounts whole, or of which it mounts a path. */
const mountedSources = (
  { spec }: Pod,
  { volumeMounts = [] }: Partial<Container>,
  isMounted: (mount: VolumeMount) => boolean = () => true
): ReadonlyArray<Source> => {
  const mounted = new Set(volumeMounts.filter(isMounted).map(({ name }) => name))
  return (spec.volumes ?? []).filter(({ name }) => mounted.has(name)).flatMap(sourcesOf)
}

const byKey = (references: ReadonlyArray<Reference | undefined>): ReadonlyMap<string, Reference> =>
  new Map(references.flatMap((reference) => (reference === undefined ? [] : [[keyOf(reference), reference] as const])))

/** Whether a mount shows one path of a volume: it then keeps what it has shown at the start of its container. */
export const isOfPath = ({ subPath, subPathExpr }: VolumeMount): boolean => (subPath ?? subPathExpr ?? "") !== ""

const tokensOf = (sources: ReadonlyArray<Source>): ReadonlyMap<string, TokenSource> =>
  new Map(
    sources.flatMap(({ serviceAccountToken }) => {
      if (serviceAccountToken === undefined) return []
      const source = serviceAccountToken as TokenSource
      return [[tokenKeyOf(source), source] as const]
    })
  )

const decoded = (data: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(data).map(([key, text]) => {
      const result = Base64.decodeString(text)
      return [key, Result.isSuccess(result) ? result.success : ""]
    })
  )

const textsOf = (object: ConfigMap | Secret, isSecret: boolean): Readonly<Record<string, string>> => {
  const { data = {} } = object
  if (isSecret) return decoded(data)
  return { ...data, ...decoded("binaryData" in object ? (object.binaryData ?? {}) : {}) }
}

/** What a container may refer to. */
const MAX_REFERENCES = 100

/** The Service of the API, whose variables every container has. Upstream: kubelet_pods.go, masterServices. */
const API_SERVICE = "kubernetes"

/**
 * Reads the ConfigMaps, Secrets and Services that a container refers to, as its kubelet may. What cannot be read is
 * missing. Returns a function that stops the reading; `done` may be called at once.
 */
export const readReferences = (
  { connection, mounted, tokens }: ReferenceSource,
  pod: Pod,
  container: Partial<Container>,
  { isWatched, run }: RunReading,
  done: (referenced: Referenced) => void
): (() => void) => {
  const ofApi: Array<Service> = []
  const linked: Array<Service> = []
  const { namespace = "" } = pod.metadata
  const reads: Array<readonly [request: ApiRequest, take: (answer: unknown) => void]> = [
    [{ verb: "get", kind: "Service", namespace: "default", name: API_SERVICE }, (one) => ofApi.push(one as Service)]
  ]
  if (pod.spec.enableServiceLinks !== false) {
    const take = (list: unknown) => linked.push(...(list as { readonly items: ReadonlyArray<Service> }).items)
    reads.push([{ verb: "list", kind: "Service", namespace }, take])
  }
  const asked = [...tokensOf(mountedSources(pod, container))]
  const whole = byKey(mountedSources(pod, container, (mount) => !isOfPath(mount)).map(referenceIn))
  const atStart = byKey([
    ...variableReferences(container),
    ...mountedSources(pod, container, isOfPath).map(referenceIn)
  ])
  const objects = [
    ...[...whole].map((entry) => [...entry, undefined] as const),
    ...[...atStart].map((entry) => [...entry, run] as const)
  ].slice(0, MAX_REFERENCES)
  const [texts, startTexts, found] = [new Map(), new Map(), new Map<string, string>()]
  let left = reads.length + asked.length + objects.length
  let isCancelled = false
  const finish = (): void => {
    if (--left === 0 && !isCancelled) done({ texts, startTexts, services: [...ofApi, ...linked], tokens: found })
  }
  const cancels = reads.map(([request, take]) =>
    connection.send(request, (answer) => {
      if (Result.isSuccess(answer)) take(answer.success)
      finish()
    })
  )
  for (const [key, reference, startOf] of objects) {
    mounted().read(reference, { pod, run: startOf, isWatched }, (object) => {
      const into = startOf === undefined ? texts : startTexts
      if (object !== undefined) into.set(key, textsOf(object, reference.kind === "Secret"))
      finish()
    })
  }
  for (const [key, source] of asked) {
    const cancel = tokens().tokenFor(pod, source, (token) => {
      found.set(key, Result.isSuccess(token) ? token.success : `rollcall: ${token.failure}\n`)
      finish()
    })
    cancels.push(cancel)
  }
  return () => {
    isCancelled = true
    for (const cancel of cancels) cancel()
  }
}
