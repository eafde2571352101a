import type { EndpointSlice, Endpoints, Service } from "@rollcall/api"
import { ageColumn, column, labelsText, nameColumn, type Printer, printer, shortList, wideColumn } from "./Printer.ts"

/** The number of endpoints or ports that a cell shows. */
const MAX_SHOWN = 3

const externalText = ({ spec, status }: Service): string => {
  const external = spec?.externalIPs ?? []
  switch (spec?.type ?? "ClusterIP") {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>"
    case "LoadBalancer": {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(({ hostname, ip }) => ip || (hostname ?? ""))
      const known = [...new Set(ingress)].filter((address) => address !== "").toSorted()
      return [...known, ...external].join(",") || "<pending>"
    }
    case "ExternalName":
      return spec?.externalName ?? ""
    default:
      return "<unknown>"
  }
}

const portsText = ({ spec }: Service): string =>
  (spec?.ports ?? [])
    .map(({ nodePort, port, protocol }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol ?? "TCP"}`)
    .join(",") || "<none>"

/** Upstream: pkg/printers/internalversion/printers.go, printService. */
export const services: Printer = printer<Service>(
  nameColumn,
  column("Type", "string", "How the service is reached.", ({ spec }) => spec?.type ?? "ClusterIP"),
  column(
    "Cluster-IP",
    "string",
    "Its address inside of the cluster.",
    ({ spec }) => (spec?.clusterIPs?.[0] ?? spec?.clusterIP) || "<none>"
  ),
  column("External-IP", "string", "Its addresses outside of the cluster.", externalText),
  column("Port(s)", "string", "The ports that it serves.", portsText),
  ageColumn,
  wideColumn("Selector", "string", "The labels of the pods behind it.", ({ spec }) => labelsText(spec?.selector))
)

const hostPort = (ip: string, port: number): string => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)

const endpointsOf = ({ subsets = [] }: Endpoints): ReadonlyArray<string> =>
  subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port)))
  )

/** Upstream: printEndpoints. */
export const endpoints: Printer = printer<Endpoints>(
  nameColumn,
  column("Endpoints", "string", "Where the service's pods listen.", (object) =>
    (object.subsets?.length ?? 0) === 0 ? "<none>" : shortList(endpointsOf(object), MAX_SHOWN)
  ),
  ageColumn
)

/** Upstream: listWithMoreString. */
const shownOrUnset = (texts: ReadonlyArray<string>): string => shortList(texts, MAX_SHOWN) || "<unset>"

/** Upstream: printEndpointSlice. */
export const endpointSlices: Printer = printer<EndpointSlice>(
  nameColumn,
  column("AddressType", "string", "What kind of addresses it lists.", ({ addressType }) => addressType ?? ""),
  column("Ports", "string", "The ports at each address.", ({ ports }) =>
    shownOrUnset((ports ?? []).map(({ name, port }) => String(port ?? name ?? "*")))
  ),
  column("Endpoints", "string", "The addresses.", ({ endpoints: found }) =>
    shownOrUnset((found ?? []).flatMap(({ addresses = [] }) => addresses))
  ),
  ageColumn
)
