import type { Status } from "@rollcall/api"
import { difference, type FieldSet, isEmpty, visitPaths } from "./fieldSet.ts"
import type { Manager } from "./Managers.ts"
import { printPath } from "./pathElement.ts"

/** Fields that an apply would take from another manager. */
export interface Conflict {
  /** `identityOf` the other manager. */
  readonly identity: string
  readonly manager: Manager
  readonly fields: FieldSet
}

type Conflicts = ReadonlyArray<Conflict>

/** Returns the conflicts that remain if the applier may take these fields. */
export const withoutAllowed = (conflicts: Conflicts, allowed: FieldSet): Conflicts =>
  conflicts
    .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, allowed) }))
    .filter(({ fields }) => !isEmpty(fields))

const nameOf = ({ apiVersion, manager, operation, subresource }: Manager): string => {
  const name = JSON.stringify(manager)
  const place = subresource === undefined ? name : `${name} with subresource ${JSON.stringify(subresource)}`
  return operation === "Update" ? `${place} using ${apiVersion}` : place
}

const pathsOf = (fields: FieldSet): ReadonlyArray<string> => {
  const paths: Array<string> = []
  visitPaths(fields, (path) => paths.push(printPath(path)))
  return paths
}

/** Returns the error for the applier. Upstream: apimachinery/pkg/util/managedfields/internal/conflict.go. */
export const conflictStatus = (conflicts: Conflicts): Status => {
  const byManager = [...conflicts]
    .sort((left, right) => (left.identity < right.identity ? -1 : 1))
    .map(({ fields, manager }) => ({ name: nameOf(manager), paths: pathsOf(fields) }))
  const causes = byManager.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field }))
  )
  const lines = byManager.map(({ name, paths }) =>
    [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)].join("\n")
  )
  const [first] = causes
  const message =
    first !== undefined && causes.length === 1
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Conflict",
    details: { causes },
    code: 409
  }
}
