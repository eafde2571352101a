import type { Service } from "@rollcall/api"
import type { Operation } from "@rollcall/store"

const isAddress = (address: string): boolean => address !== "" && address !== "None"

/** Returns the addresses (texts) and node ports (numbers) of a service. */
export const allocatedTo = ({ spec }: Service): ReadonlyArray<string | number> => [
  ...(spec?.clusterIPs ?? []).filter(isAddress),
  ...[...(spec?.ports ?? []).map(({ nodePort }) => nodePort ?? 0), spec?.healthCheckNodePort ?? 0].filter(
    (port) => port !== 0
  )
]

/** Where a store of several servers says that a value is taken. Upstream has one object for each range at these places. */
const keyOf = (value: string | number): string =>
  typeof value === "number" ? `/registry/ranges/servicenodeports/${value}` : `/registry/ranges/serviceips/${value}`

const valuesOf = (service: Service | undefined): ReadonlySet<string | number> =>
  new Set(service === undefined ? [] : allocatedTo(service))

/**
 * Returns what is written together with a service, so that two servers cannot give a value twice: a key for each value that
 * it takes, which must be absent, and the removal of those that it gives back.
 */
export const serviceClaims = (
  service: Service | undefined,
  previous: Service | undefined
): ReadonlyArray<Operation> => {
  const [now, before] = [valuesOf(service), valuesOf(previous)]
  const { name, namespace } = (service ?? previous)?.metadata ?? {}
  return [
    ...[...now]
      .filter((value) => !before.has(value))
      .map((value): Operation => ({ type: "put", key: keyOf(value), value: { namespace, name }, expect: 0 })),
    ...[...before].filter((value) => !now.has(value)).map((value): Operation => ({ type: "delete", key: keyOf(value) }))
  ]
}
