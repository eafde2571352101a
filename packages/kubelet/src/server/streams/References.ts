import type { ConfigMap, Container, Pod, Secret } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

type Source = Readonly<Record<string, unknown>>

/** The texts of the ConfigMaps and Secrets that a container refers to, by `kind/name`. */
export type ReferencedTexts = ReadonlyMap<string, Readonly<Record<string, string>>>

const keyOf = (kind: "ConfigMap" | "Secret", name: unknown): string => `${kind}/${String(name)}`

const nameIn = (source: unknown): unknown => (source as Source | undefined)?.name

/** Returns the key of the object that a source of an environment or of a projected volume refers to. */
export const referenceOf = (source: Source): string | undefined => {
  const { configMap, configMapKeyRef, configMapRef, secret, secretKeyRef, secretRef } = source
  const map = nameIn(configMap) ?? nameIn(configMapKeyRef) ?? nameIn(configMapRef)
  if (map !== undefined) return keyOf("ConfigMap", map)
  const name = nameIn(secretKeyRef) ?? nameIn(secretRef) ?? nameIn(secret) ?? (secret as Source | undefined)?.secretName
  return name === undefined ? undefined : keyOf("Secret", name)
}

/** Returns the sources of the files of a volume. */
export const sourcesOf = (volume: object): ReadonlyArray<Source> => {
  const { projected, ...source } = volume as { readonly projected?: { readonly sources?: ReadonlyArray<object> } }
  return projected === undefined ? [source as Source] : ((projected.sources ?? []) as ReadonlyArray<Source>)
}

const referencesOf = ({ spec }: Pod, { env = [], envFrom = [], volumeMounts = [] }: Partial<Container>) => {
  const mounted = new Set(volumeMounts.map(({ name }) => name))
  const volumes = (spec.volumes ?? []).filter(({ name }) => mounted.has(name)).flatMap(sourcesOf)
  const variables = env.flatMap(({ valueFrom }) => (valueFrom === undefined ? [] : [valueFrom as Source]))
  const found = [...variables, ...(envFrom as ReadonlyArray<Source>), ...volumes].map(referenceOf)
  return new Set(found.filter((key) => key !== undefined))
}

const textsOf = (object: Partial<ConfigMap> & Pick<Partial<Secret>, "data">, isSecret: boolean) => {
  const { data = {} } = object
  return Object.fromEntries(
    Object.entries(data as Readonly<Record<string, string>>).map(([key, text]) => {
      const decoded = isSecret ? Base64.decodeString(text) : Result.succeed(text)
      return [key, Result.isSuccess(decoded) ? decoded.success : ""]
    })
  )
}

/** What a container may refer to. */
const MAX_REFERENCES = 100

/**
 * Reads the ConfigMaps and Secrets that a container refers to, as its kubelet may. What cannot be read is missing. Returns
 * a function that stops the reading; `done` may be called at once.
 */
export const readReferences = (
  connection: Connection,
  pod: Pod,
  container: Partial<Container>,
  done: (texts: ReferencedTexts) => void
): (() => void) => {
  const texts = new Map<string, Readonly<Record<string, string>>>()
  const keys = [...referencesOf(pod, container)].slice(0, MAX_REFERENCES)
  const { namespace = "" } = pod.metadata
  let left = keys.length
  if (left === 0) {
    done(texts)
    return () => {}
  }
  const cancels = keys.map((key) => {
    const [kind = "", name = ""] = key.split("/")
    const isSecret = kind === "Secret"
    return connection.send({ verb: "get", kind: isSecret ? "Secret" : "ConfigMap", namespace, name }, (answer) => {
      if (Result.isSuccess(answer)) texts.set(key, textsOf(answer.success as Partial<ConfigMap>, isSecret))
      if (--left === 0) done(texts)
    })
  })
  return () => {
    for (const cancel of cancels) cancel()
  }
}
