import type { ConfigMap, Container, Pod, Secret, Service } from "@rollcall/api"
import type { ApiRequest, Connection } from "@rollcall/cluster"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type Reference, referenceIn, type Source, sourcesOf, variableReferences } from "../../references/Reference.ts"
import { type TokenManager, type TokenSource, tokenKeyOf } from "../../references/TokenManager.ts"

/** What a container refers to in the API. */
export interface Referenced {
  /** The texts of ConfigMaps and Secrets, by `kind/name`. */
  readonly texts: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** The Services that its variables name: that of the API, then those of its namespace. */
  readonly services: ReadonlyArray<Service>
  /** The tokens of its service account, by `tokenKeyOf` their sources; a text that says why there is none. */
  readonly tokens: ReadonlyMap<string, string>
}

/** What the references of a container are read with. */
export interface ReferenceSource {
  readonly connection: Connection
  readonly tokens: () => TokenManager
}

const keyOf = ({ kind, name }: Reference): string => `${kind}/${name}`

/** Returns the key of the object that a source of an environment or of a projected volume refers to. */
export const referenceOf = (source: Source): string | undefined => {
  const reference = referenceIn(source)
  return reference === undefined ? undefined : keyOf(reference)
}

const mountedSources = ({ spec }: Pod, { volumeMounts = [] }: Partial<Container>): ReadonlyArray<Source> => {
  const mounted = new Set(volumeMounts.map(({ name }) => name))
  return (spec.volumes ?? []).filter(({ name }) => mounted.has(name)).flatMap(sourcesOf)
}

const referencesOf = (sources: ReadonlyArray<Source>, container: Partial<Container>): ReadonlySet<string> =>
  new Set(
    [...variableReferences(container), ...sources.map(referenceIn)].flatMap((reference) =>
      reference === undefined ? [] : keyOf(reference)
    )
  )

const tokensOf = (sources: ReadonlyArray<Source>): ReadonlyMap<string, TokenSource> =>
  new Map(
    sources.flatMap(({ serviceAccountToken }) => {
      if (serviceAccountToken === undefined) return []
      const source = serviceAccountToken as TokenSource
      return [[tokenKeyOf(source), source] as const]
    })
  )

const textsOf = (object: Partial<ConfigMap> & Pick<Partial<Secret>, "data">, isSecret: boolean) => {
  const { binaryData = {}, data = {} } = object as Readonly<Record<string, Readonly<Record<string, string>>>>
  const decoded = Object.entries(isSecret ? data : binaryData).map(([key, text]) => {
    const result = Base64.decodeString(text)
    return [key, Result.isSuccess(result) ? result.success : ""]
  })
  return { ...(isSecret ? {} : data), ...Object.fromEntries(decoded) } as Readonly<Record<string, string>>
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
  { connection, tokens }: ReferenceSource,
  pod: Pod,
  container: Partial<Container>,
  done: (referenced: Referenced) => void
): (() => void) => {
  const texts = new Map<string, Readonly<Record<string, string>>>()
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
  const sources = mountedSources(pod, container)
  for (const key of [...referencesOf(sources, container)].slice(0, MAX_REFERENCES)) {
    const [kind = "", name = ""] = key.split("/")
    const isSecret = kind === "Secret"
    const request: ApiRequest = { verb: "get", kind: isSecret ? "Secret" : "ConfigMap", namespace, name }
    reads.push([request, (object) => texts.set(key, textsOf(object as Partial<ConfigMap>, isSecret))])
  }
  const asked = [...tokensOf(sources)]
  const found = new Map<string, string>()
  let left = reads.length + asked.length
  const finish = (): void => {
    if (--left === 0) done({ texts, services: [...ofApi, ...linked], tokens: found })
  }
  const cancels = reads.map(([request, take]) =>
    connection.send(request, (answer) => {
      if (Result.isSuccess(answer)) take(answer.success)
      finish()
    })
  )
  for (const [key, source] of asked) {
    const cancel = tokens().tokenFor(pod, source, (token) => {
      found.set(key, Result.isSuccess(token) ? token.success : `rollcall: ${token.failure}\n`)
      finish()
    })
    cancels.push(cancel)
  }
  return () => {
    for (const cancel of cancels) cancel()
  }
}
