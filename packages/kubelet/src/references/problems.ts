import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, RuntimeClass, Secret } from "@rollcall/api"
import type { Reference } from "./Reference.ts"

/** What a read of an object has given: the object, or why there is none. */
export type ReadAnswer =
  | ConfigMap
  | Secret
  | PersistentVolumeClaim
  | PersistentVolume
  | RuntimeClass
  /** It does not exist. */
  | "missing"
  /** The API has not answered in time, or with another error. */
  | "unsynced"
  /** The kubelet may not read such objects, or does not heed them. It then knows nothing of them, and goes on without. */
  | "unreadable"

/** Returns what a read of the object has given. */
export type Answers = (reference: Reference) => ReadAnswer

const resourceOf = ({ kind }: Reference): string => kind.toLowerCase()

/** Why a kubelet has no object; undefined if it has, or goes on without. Upstream: pkg/kubelet/util/manager/watch_based_manager.go. */
const absence = (reference: Reference, answer: ReadAnswer): string | undefined => {
  const resource = resourceOf(reference)
  if (answer === "unsynced") return `failed to sync ${resource} cache: timed out waiting for the condition`
  return answer === "missing" && !reference.isOptional
    ? `${resource} ${JSON.stringify(reference.name)} not found`
    : undefined
}

/** Returns the first key that is read and that the object lacks. */
const missingKey = ({ isOptional, keys }: Reference, answer: ReadAnswer, withBinary: boolean): string | undefined => {
  if (isOptional || typeof answer === "string") return undefined
  const { binaryData = {}, data = {} } = answer as ConfigMap
  const binary = withBinary ? binaryData : {}
  return keys.find((key) => !Object.hasOwn(data, key) && !Object.hasOwn(binary, key))
}

/** Joins errors as upstream does. Upstream: apimachinery, pkg/util/errors, aggregate. */
const aggregate = (problems: ReadonlyArray<string>): string | undefined => {
  const different = [...new Set(problems)]
  return different.length > 1 ? `[${different.join(", ")}]` : different[0]
}

const volumeProblem = (reference: Reference, answer: ReadAnswer): string | undefined => {
  const absent = absence(reference, answer)
  if (absent !== undefined) return absent
  const key = missingKey(reference, answer, true)
  if (key === undefined) return undefined
  return reference.kind === "ConfigMap"
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`
}

/** Why a volume cannot be set up; undefined if it can. Upstream: pkg/volume/configmap, secret and projected, SetUpAt. */
export const volumeProblemOf = (references: ReadonlyArray<Reference>, answers: Answers): string | undefined =>
  aggregate(references.flatMap((reference) => volumeProblem(reference, answers(reference)) ?? []))

/** Why a container's variables have no values; undefined if they have. Upstream: kubelet_pods.go, makeEnvironmentVariables. */
export const variableProblemOf = (
  namespace: string,
  references: ReadonlyArray<Reference>,
  answers: Answers
): string | undefined => {
  for (const reference of references) {
    const answer = answers(reference)
    const absent = absence(reference, answer)
    if (absent !== undefined) return absent
    const key = missingKey(reference, answer, false)
    if (key !== undefined) return `couldn't find key ${key} in ${reference.kind} ${namespace}/${reference.name}`
  }
  return undefined
}

/** The message of the Event about pull secrets that are missing; undefined if none is. Upstream: kubelet_pods.go. */
export const pullSecretsProblem = (secrets: ReadonlyArray<Reference>, answers: Answers): string | undefined => {
  const missing = secrets.filter((secret) => absence(secret, answers(secret)) !== undefined)
  if (missing.length === 0) return undefined
  const names = missing.map(({ name }) => name).join(", ")
  return `Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`
}
