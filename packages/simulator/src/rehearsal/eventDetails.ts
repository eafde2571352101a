import { parseDuration } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import type { EventSpec } from "../input/Scenario.ts"
import type { EventDetails, ObjectName } from "../Result.ts"

/** Returns the paths of the fields that a patch writes, such as `spec.tolerations`. */
export const patchedFields = (patch: unknown, path = ""): ReadonlyArray<string> =>
  Predicate.isReadonlyObject(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([key, value]) => patchedFields(value, path === "" ? key : `${path}.${key}`))
    : path === ""
      ? []
      : [path]

const nameOf = ({ kind, metadata }: Readonly<Record<string, unknown>>): ObjectName => ({
  kind: String(kind),
  name: Predicate.isReadonlyObject(metadata) ? String(metadata.name) : ""
})

/** Returns the parameters of an event that reports show. */
export const eventDetails = (spec: Omit<EventSpec, "at">): EventDetails => {
  const { available, by, force, manifests, object, objects, patch, rate, replicas, taint } = spec
  return {
    ...(by === undefined ? {} : { bySeconds: parseDuration(by) / 1000 }),
    ...(rate === undefined ? {} : { rate }),
    ...(available === undefined ? {} : { available: String(available) }),
    ...(object === undefined ? {} : { object: { kind: object.kind, name: object.name } }),
    ...(objects === undefined ? {} : { objects: objects.map(nameOf) }),
    ...(manifests === undefined ? {} : { manifests }),
    ...(patch === undefined ? {} : { fields: patchedFields(patch) }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(taint === undefined
      ? {}
      : { taint: { key: taint.key, ...(taint.effect === undefined ? {} : { effect: taint.effect }) } }),
    ...(force === undefined ? {} : { force })
  }
}
