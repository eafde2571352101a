import type { KubeObject } from "@rollcall/api"
import { ageColumn, type Column, column, nameColumn, type Printer, printer, wide } from "./Printer.ts"

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
  wide(name, "string", description, (binding) => subjectsOf(binding, kind))

/** Upstream: pkg/printers/internalversion/printers.go, printRoleBinding and printClusterRoleBinding. */
export const bindings: Printer = printer<Binding>(
  nameColumn,
  column("Role", "string", "The role that is given.", ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  ageColumn,
  subjectColumn("Users", "User", "The users that have it."),
  subjectColumn("Groups", "Group", "The groups that have it."),
  subjectColumn("ServiceAccounts", "ServiceAccount", "The service accounts that have it.")
)
