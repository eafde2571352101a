import type { FlowSchema, KubeObject, PriorityLevelConfiguration } from "@rollcall/api"
import { ageColumn, type Column, column, nameColumn, type Printer, printer, wideColumn } from "./Printer.ts"

const NONE = "<none>"

const precedenceOf = (schema: FlowSchema): number => schema.spec?.matchingPrecedence ?? 0

/** Upstream: pkg/printers/internalversion/printers.go, printFlowSchema; lists are in matching order. */
export const flowSchemas: Printer = {
  ...printer<FlowSchema>(
    nameColumn,
    column(
      "PriorityLevel",
      "string",
      "The priority level of the requests that match.",
      ({ spec }) => spec?.priorityLevelConfiguration.name ?? ""
    ),
    column("MatchingPrecedence", "string", "Of the schemas that match, the one with the lowest counts.", precedenceOf),
    column(
      "DistinguisherMethod",
      "string",
      "What tells its flows apart.",
      ({ spec }) => spec?.distinguisherMethod?.type ?? NONE
    ),
    ageColumn,
    column(
      "MissingPL",
      "string",
      "Whether its priority level does not exist or cannot be used.",
      ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?"
    )
  ),
  order: (left, right) =>
    precedenceOf(left as FlowSchema) - precedenceOf(right as FlowSchema) ||
    ((left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1)
}

const queuingOf = ({ spec }: PriorityLevelConfiguration) => spec?.limited?.limitResponse?.queuing

/** Upstream: printPriorityLevelConfiguration. */
export const priorityLevels: Printer = printer<PriorityLevelConfiguration>(
  nameColumn,
  column("Type", "string", "Whether its requests are limited.", ({ spec }) => spec?.type ?? ""),
  column(
    "NominalConcurrencyShares",
    "string",
    "Its part of the server's seats.",
    ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? NONE
  ),
  column("Queues", "string", "How many queues there are.", (level) => queuingOf(level)?.queues ?? NONE),
  column("HandSize", "string", "How many of them one flow may use.", (level) => queuingOf(level)?.handSize ?? NONE),
  column(
    "QueueLengthLimit",
    "string",
    "How many requests may wait in one of them.",
    (level) => queuingOf(level)?.queueLengthLimit ?? NONE
  ),
  ageColumn
)

interface Binding extends KubeObject {
  readonly roleRef?: { readonly kind?: string; readonly name?: string }
  readonly subjects?: ReadonlyArray<{ readonly kind?: string; readonly name?: string; readonly namespace?: string }>
}

const subjectsOf = ({ subjects = [] }: Binding, wanted: string): string =>
  subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ name, namespace }) => (wanted === "ServiceAccount" ? `${namespace ?? ""}/${name ?? ""}` : (name ?? "")))
    .join(", ")

const subjectColumn = (name: string, kind: string, description: string): Column<Binding> =>
  wideColumn(name, "string", description, (binding) => subjectsOf(binding, kind))

/** Upstream: pkg/printers/internalversion/printers.go, printRoleBinding and printClusterRoleBinding. */
export const bindings: Printer = printer<Binding>(
  nameColumn,
  column("Role", "string", "The role that is given.", ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  ageColumn,
  subjectColumn("Users", "User", "The users that have it."),
  subjectColumn("Groups", "Group", "The groups that have it."),
  subjectColumn("ServiceAccounts", "ServiceAccount", "The service accounts that have it.")
)
