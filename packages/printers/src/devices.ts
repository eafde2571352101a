import type { ResourceClaim, ResourceSlice } from "@rollcall/api"
import { ageColumn, column, nameColumn, type Printer, printer } from "./Printer.ts"

const stateOf = ({ metadata, status }: ResourceClaim): string => {
  const isGoing = metadata.deletionTimestamp !== undefined
  const states = isGoing ? ["deleted"] : []
  if (status?.allocation === undefined) return [...states, ...(isGoing ? [] : ["pending"])].join(",")
  const isReserved = (status.reservedFor ?? []).length > 0
  return [...states, "allocated", ...(isReserved ? ["reserved"] : [])].join(",")
}

/** Upstream: pkg/printers/internalversion/printers.go, printResourceClaim. */
export const resourceClaims: Printer = printer<ResourceClaim>(
  nameColumn,
  column("State", "string", "How far the claim is: pending, allocated, reserved, deleted.", stateOf),
  ageColumn
)

/** Upstream: printResourceSlice. */
export const resourceSlices: Printer = printer<ResourceSlice>(
  nameColumn,
  column("Node", "string", "The node that has the devices, if only one has.", ({ spec }) => spec.nodeName ?? ""),
  column("Driver", "string", "The driver of the devices.", ({ spec }) => spec.driver),
  column("Pool", "string", "The pool that the devices belong to.", ({ spec }) => spec.pool.name),
  ageColumn
)
