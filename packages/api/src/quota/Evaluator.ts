import { memberOf } from "../memberOf.ts"
import type { KubeObject } from "../objects/Meta.ts"
import type { Pod } from "../objects/Pod.ts"
import type { ResourceQuota } from "../objects/Quota.ts"
import type { DeviceClass, ResourceClaim } from "../objects/ResourceClaim.ts"
import type { Amounts } from "../PodResources.ts"
import { makeQuantity } from "../quantity/Quantity.ts"

/** A condition on the objects that a quota counts. */
export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values?: ReadonlyArray<string>
}

/** A write, as a quota looks at it. */
export interface QuotaWrite<A extends KubeObject = KubeObject> {
  readonly verb: "create" | "update"
  readonly subresource: string | undefined
  readonly object: A
  /** The stored object; undefined if the write creates one. */
  readonly oldObject: A | undefined
}

/** What an evaluator knows besides the object. Without device classes no extended resource has one. */
export interface QuotaView {
  /** The time in milliseconds since the epoch. */
  readonly now: number
  readonly deviceClasses?: () => ReadonlyArray<DeviceClass>
  readonly claims?: (namespace: string) => Iterable<ResourceClaim>
  readonly pod?: (namespace: string, name: string) => Pod | undefined
}

/**
 * Measures what the objects of one resource use of quotas. Upstream:
 * staging/src/k8s.io/apiserver/pkg/quota/v1/interfaces.go.
 */
export interface Evaluator<A extends KubeObject = KubeObject> {
  /** `pods`, or `deployments.apps` with its group. */
  readonly resource: string
  /** Whether the write can change what is used. */
  readonly handles: (write: QuotaWrite<A>) => boolean
  /** Returns those of the names that the objects use. */
  readonly matching: (names: ReadonlyArray<string>, view: QuotaView) => ReadonlyArray<string>
  readonly matchesScope: (requirement: ScopeRequirement, object: A) => boolean
  /** Returns what the object must specify because these resources are limited, or undefined. */
  readonly missing?: (limited: ReadonlyArray<string>, object: A) => string | undefined
  readonly usage: (object: A, view: QuotaView) => Amounts
  /** Whether the update of a stored object may set something of a quota free. */
  readonly freesByUpdate?: (before: A, object: A, now: number) => boolean
}

export const one = /* @__PURE__ */ makeQuantity(1)

export const noScope = (): boolean => false

/** The name under which a quota counts objects of any resource. */
export const countName = (resource: string): string => `count/${resource}`

/** `deployments.apps`; the plural alone for the core group. */
export const groupResourceText = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  group === "" ? plural : `${plural}.${group}`

export const scopeRequirements = ({ spec }: ResourceQuota): ReadonlyArray<ScopeRequirement> => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(spec?.scopeSelector?.matchExpressions ?? [])
]

/** Whether a requirement accepts an object that has this value in the scope, or none. */
export const requirementAccepts = ({ operator, values = [] }: ScopeRequirement, value: string | undefined): boolean => {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value)
    case "NotIn":
      return value === undefined || !values.includes(value)
    case "Exists":
      return value !== undefined
    default:
      return value === undefined
  }
}

/** Names that quotas had for a count before they could count every resource. */
const aliases: Readonly<Record<string, string>> = {
  configmaps: "configmaps",
  resourcequotas: "resourcequotas",
  replicationcontrollers: "replicationcontrollers",
  secrets: "secrets"
}

/** Counts the objects of a resource. Upstream: quota/v1/generic/evaluator.go, NewObjectCountEvaluator. */
export const objectCount = (resource: string): Evaluator => {
  const alias = memberOf(aliases, resource)
  const names = alias === undefined ? [countName(resource)] : [countName(resource), alias]
  const amounts = Object.fromEntries(names.map((name) => [name, one]))
  return {
    resource,
    handles: ({ subresource, verb }) => subresource === undefined && verb === "create",
    matching: (given) => given.filter((name) => names.includes(name)),
    matchesScope: noScope,
    usage: () => amounts
  }
}
