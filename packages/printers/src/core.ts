import {
  type ConfigMap,
  formatQuantity,
  type Lease,
  type Namespace,
  type PodDisruptionBudget,
  type PriorityClass,
  type ResourceQuota,
  type RuntimeClass,
  type Secret
} from "@rollcall/api"
import { memberOf } from "@rollcall/api/values"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const sizeOf = (map: Readonly<Record<string, unknown>> | undefined): number => Object.keys(map ?? {}).length

/** Prints only the name and the age. */
export const nameAndAge: Printer = printer(nameColumn, ageColumn)

/** Upstream: pkg/printers/internalversion/printers.go, printNamespace. */
export const namespaces: Printer = printer<Namespace>(
  nameColumn,
  column("Status", "string", "Whether the namespace is in use or going.", ({ status }) => status?.phase ?? ""),
  ageColumn
)

/** Upstream: printConfigMap. */
export const configMaps: Printer = printer<ConfigMap>(
  nameColumn,
  column("Data", "string", "How many entries it has.", ({ binaryData, data }) => sizeOf(data) + sizeOf(binaryData)),
  ageColumn
)

/** Upstream: printSecret. */
export const secrets: Printer = printer<Secret>(
  nameColumn,
  column("Type", "string", "What the secret is for.", ({ type }) => type ?? ""),
  column("Data", "string", "How many entries it has.", ({ data }) => sizeOf(data)),
  ageColumn
)

/** Upstream: printLease. */
export const leases: Printer = printer<Lease>(
  nameColumn,
  column("Holder", "string", "Who holds the lease.", ({ spec }) => spec?.holderIdentity ?? ""),
  ageColumn
)

/** Upstream: printPriorityClass. */
export const priorityClasses: Printer = printer<PriorityClass>(
  nameColumn,
  column("Value", "integer", "The priority of its pods.", ({ value }) => value),
  column(
    "Global-Default",
    "boolean",
    "Whether pods without a class are of this one.",
    ({ globalDefault }) => globalDefault ?? false
  ),
  ageColumn,
  column(
    "PreemptionPolicy",
    "string",
    "Whether its pods may drive out others.",
    ({ preemptionPolicy }) => preemptionPolicy ?? "PreemptLowerPriority"
  )
)

/** Upstream: printPodDisruptionBudget. */
export const podDisruptionBudgets: Printer = printer<PodDisruptionBudget>(
  nameColumn,
  column("Min Available", "string", "How many pods must stay available.", ({ spec }) =>
    String(spec?.minAvailable ?? "N/A")
  ),
  column("Max Unavailable", "string", "How many pods may be unavailable.", ({ spec }) =>
    String(spec?.maxUnavailable ?? "N/A")
  ),
  column(
    "Allowed Disruptions",
    "integer",
    "How many pods may be evicted now.",
    ({ status }) => status?.disruptionsAllowed ?? 0
  ),
  ageColumn
)

/** Returns how much of each resource is used, of how much: limits, or all other resources. */
const usageText = ({ status }: ResourceQuota, isOfLimits: boolean): string =>
  Object.entries(status?.hard ?? {})
    .filter(([name]) => name.startsWith("limits.") === isOfLimits)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, hard]) => `${name}: ${formatQuantity(memberOf(status?.used, name) ?? "0")}/${formatQuantity(hard)}`)
    .join(", ")

/** Upstream: printResourceQuota. */
export const resourceQuotas: Printer = printer<ResourceQuota>(
  nameColumn,
  column("Request", "string", "What is used, of what may be.", (quota) => usageText(quota, false)),
  column("Limit", "string", "The limits that are used, of those that may be.", (quota) => usageText(quota, true)),
  ageColumn
)

/** Upstream: printRuntimeClass. */
export const runtimeClasses: Printer = printer<RuntimeClass>(
  nameColumn,
  column("Handler", "string", "", ({ handler }) => handler),
  ageColumn
)
