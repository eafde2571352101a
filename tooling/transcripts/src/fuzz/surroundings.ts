import { isKindName } from "@rollcall/api"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"
import { policies } from "./policies.ts"
import type { Random } from "./Random.ts"
import { collectionOf, NAMESPACE, objectNamed, type Resource } from "./Resource.ts"
import { resourceOfKind } from "./resourceOfKind.ts"
import type { Step } from "./writes.ts"

/** Objects that decide about what is written in the namespace, in force for some sessions. */
export interface Surroundings {
  readonly steps: ReadonlyArray<Step>
  /** Where the objects are, to be removed. */
  readonly paths: ReadonlyArray<string>
  /** The kinds that they decide about most. */
  readonly kinds: ReadonlyArray<string>
  /** Some requests are those of this user. */
  readonly user: string | undefined
}

const none: Surroundings = { steps: [], paths: [], kinds: [], user: undefined }

const stepOf = (kind: string, name: string, body: JsonObject, status?: Json): Surroundings => {
  if (!isKindName(kind)) return none
  const resource = resourceOfKind(kind)
  const collection = collectionOf(resource)
  const object = { ...objectNamed({ ...resource, base: {} }, name), ...body }
  const path = `${collection}/${name}`
  const made: Step = { label: "surroundings", question: { method: "POST", path: collection, body: object } }
  const merge = { "Content-Type": "application/merge-patch+json" }
  const told = { method: "PATCH", path: `${path}/status`, body: JSON.stringify({ status }), headers: merge }
  const after: ReadonlyArray<Step> = status === undefined ? [] : [{ label: "surroundings status", question: told }]
  return { ...none, steps: [made, ...after], paths: [path] }
}

const together = (parts: ReadonlyArray<Surroundings>, more: Partial<Surroundings> = {}): Surroundings => ({
  ...none,
  steps: parts.flatMap(({ steps }) => steps),
  paths: parts.flatMap(({ paths }) => paths),
  ...more
})

const some = <A>(random: Random, from: ReadonlyArray<A>, probability: number): ReadonlyArray<A> => {
  const taken = from.filter(() => random.chance(probability))
  return taken.length === 0 ? [random.pick(from)] : taken
}

const quantities = ["0", "1", "100m", "500m", "2", "1Gi", "64Mi"]
const bounds = ["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"]
const amounts = ["cpu", "memory", "ephemeral-storage"]

const limits = (random: Random): Surroundings => {
  const limit = (type: string): JsonObject => {
    const named = type === "PersistentVolumeClaim" ? ["storage"] : some(random, amounts, 0.5)
    const amount = () => Object.fromEntries(named.map((name) => [name, random.pick(quantities)]))
    const kept = type === "Container" ? bounds : ["min", "max"]
    return { type, ...Object.fromEntries(some(random, kept, 0.4).map((bound) => [bound, amount()])) }
  }
  const types = some(random, ["Container", "Pod", "PersistentVolumeClaim"], 0.5)
  const kinds = ["Pod", "Pod", "PersistentVolumeClaim", "Deployment"]
  return together([stepOf("LimitRange", "limits", { spec: { limits: types.map(limit) } })], { kinds })
}

const counted = [
  "pods",
  "services",
  "services.nodeports",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "count/deployments.apps",
  "count/jobs.batch",
  "count/leases.coordination.k8s.io",
  "requests.storage",
  "requests.cpu",
  "limits.memory",
  "cpu",
  "resourcequotas"
]

const quota = (random: Random): Surroundings => {
  const hard = Object.fromEntries(some(random, counted, 0.35).map((name) => [name, random.pick(["0", "1", "2", "10"])]))
  const scopes = random.chance(0.3)
    ? { scopes: [random.pick(["NotTerminating", "BestEffort", "NotBestEffort", "Terminating"])] }
    : random.chance(0.2)
      ? { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] } }
      : {}
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]))
  const status = random.chance(0.85) ? { hard, used } : undefined
  const kinds = ["Pod", "Pod", "Service", "ConfigMap", "Secret", "PersistentVolumeClaim", "Deployment", "Job", "Lease"]
  return together([stepOf("ResourceQuota", "quota", { spec: { hard, ...scopes } }, status)], { kinds })
}

const verbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "*",
  "bind",
  "escalate"
]

const rights = (random: Random, resources: ReadonlyArray<Resource>): Surroundings => {
  const rule = (): JsonObject => {
    const { apiVersion, plural } = random.pick(resources)
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : ""
    const named = random.pick([["*"], ["*"], [plural], [plural, `${plural}/*`], ["*/status"], ["*/scale", "*"]])
    return {
      apiGroups: random.pick([["*"], ["*"], [group], ["", "apps"]]),
      resources: named,
      verbs: some(random, verbs, 0.5),
      ...(random.chance(0.1) && { resourceNames: ["o-1", "default"] })
    }
  }
  const scope = random.pick(["", "Cluster"])
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: `${scope}Role`, name: "fuzz-rights" }
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }]
  const rules = Array.from({ length: 1 + random.below(3) }, rule)
  return together(
    [
      stepOf(`${scope}Role`, "fuzz-rights", { rules }),
      stepOf(`${scope}RoleBinding`, "fuzz-rights", { roleRef, subjects })
    ],
    { user: "jane" }
  )
}

const levels = ["privileged", "baseline", "baseline", "restricted", "bad"]

/** Labels of the namespace, and what removes them. */
const podSecurity = (random: Random): Surroundings & { readonly undo: Step } => {
  const path = `/api/v1/namespaces/${NAMESPACE}`
  const names = ["enforce", "audit", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}`)
  const labels: Record<string, Json> = {}
  for (const name of some(random, names, 0.6)) {
    labels[name] = random.pick(levels)
    if (random.chance(0.3)) labels[`${name}-version`] = random.pick(["latest", "v1.23", "v1.25", "v1.99", "bad"])
  }
  const patched = (body: JsonObject): Step => ({
    label: "surroundings",
    question: {
      method: "PATCH",
      path,
      body: JSON.stringify({ metadata: { labels: body } }),
      headers: { "Content-Type": "application/merge-patch+json" }
    }
  })
  const removed = Object.fromEntries(names.flatMap((name) => [name, `${name}-version`]).map((name) => [name, null]))
  const kinds = ["Pod", "Pod", "Deployment", "Job", "ReplicationController", "CronJob", "PodTemplate"]
  return { ...together([], { kinds }), steps: [patched(labels)], undo: patched(removed) }
}

/** Makes surroundings, and the steps that end them beside the removal of their objects. */
export const randomSurroundings = (
  random: Random,
  resources: ReadonlyArray<Resource>
): Surroundings & { readonly ends: ReadonlyArray<Step> } => {
  const parts: Array<Surroundings> = []
  const ends: Array<Step> = []
  if (random.chance(0.3)) parts.push(limits(random))
  if (random.chance(0.3)) parts.push(quota(random))
  if (random.chance(0.3)) parts.push(rights(random, resources))
  if (random.chance(0.3) || parts.length === 0) {
    const { undo, ...made } = podSecurity(random)
    parts.push(made)
    ends.push(undo)
  }
  // Last, as one server has them in force sooner than the other.
  if (random.chance(0.5)) {
    const made = policies(random, resources)
    parts.push(...made.map(({ body, kind, name }) => stepOf(kind, name, body)))
  }
  const kinds = parts.flatMap((part) => part.kinds)
  return { ...together(parts), kinds, user: parts.find(({ user }) => user !== undefined)?.user, ends }
}

/** Returns the step as that of a user. */
export const asUser = (step: Step, user: string): Step => {
  const of = (question: Question): Question => ({
    ...question,
    headers: { ...(isObject(question.headers as Json) ? question.headers : {}), "Impersonate-User": user }
  })
  return {
    label: `${step.label} as a user`,
    question: of(step.question),
    ...(step.own === undefined ? {} : { own: of(step.own) })
  }
}
