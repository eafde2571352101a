import { kindOf, type Node } from "@rollcall/api"
import { type FieldError, fieldErrorText } from "@rollcall/api/validation"
import { type Problem, problemAt } from "@rollcall/input"
import { plural } from "@rollcall/text"
import type { LoadedObject } from "./objects.ts"

interface Fault {
  readonly error: FieldError
  readonly first: LoadedObject
  others: number
}

/** Returns the field's path in the file: upstream names the taints as if they were metadata. */
const pathOf = ({ path }: LoadedObject, { field }: FieldError): string =>
  `${path === "" ? "" : `${path}.`}${field.replace(/^metadata\.taints/, "spec.taints")}`

/**
 * Returns a problem for each field of a snapshot's nodes that no API server accepts, such as a label that was edited by hand. In a rehearsal
 * all writes to such a node would be refused: it would not be tainted, and its pods would not be evicted. Nodes of a cluster have no such
 * fields, since Kubernetes accepts what it once stored.
 */
export const unwritableNodes = (objects: ReadonlyArray<LoadedObject>): ReadonlyArray<Problem> => {
  const faults = new Map<string, Fault>()
  for (const loaded of objects) {
    if (loaded.kind !== "Node") continue
    for (const error of kindOf("Node").validation.create(loaded.object as Node)) {
      const fault = `${error.field} ${error.detail}`
      const known = faults.get(fault)
      if (known === undefined) faults.set(fault, { error, first: loaded, others: 0 })
      else known.others++
    }
  }
  return Array.from(faults.values(), ({ error, first, others }) => {
    const nodes = `node ${first.object.metadata.name}${others === 0 ? "" : ` and ${plural(others, "more node")}`}`
    return problemAt(
      first.file,
      pathOf(first, error),
      `each write to ${nodes} would be refused: ${fieldErrorText(error)}`
    )
  })
}
