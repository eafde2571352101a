import type { Service } from "@rollcall/api"

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase()

/** Returns the variables of one Service. Upstream: pkg/kubelet/envvars/envvars.go. */
const variablesOf = ({ metadata, spec = {} }: Service): ReadonlyArray<readonly [name: string, value: string]> => {
  const { clusterIP = "", ports = [] } = spec
  const prefix = variableName(metadata.name ?? "")
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP
  const links = ports.flatMap(({ port, protocol = "TCP" }, index) => {
    const scheme = protocol.toLowerCase()
    const link = `${prefix}_PORT_${port}_${protocol}`
    const url = `${scheme}://${host}:${port}`
    return [
      ...(index === 0 ? [[`${prefix}_PORT`, url] as const] : []),
      [link, url] as const,
      [`${link}_PROTO`, scheme] as const,
      [`${link}_PORT`, String(port)] as const,
      [`${link}_ADDR`, clusterIP] as const
    ]
  })
  return [
    [`${prefix}_SERVICE_HOST`, clusterIP],
    [`${prefix}_SERVICE_PORT`, String(ports[0]?.port ?? 0)],
    ...ports.flatMap(({ name, port }) =>
      name === undefined || name === "" ? [] : [[`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)] as const]
    ),
    ...links
  ]
}

/** Returns the variables of the Services that a container starts with; those without an address have none. */
export const serviceVariables = (services: ReadonlyArray<Service>): ReadonlyMap<string, string> => {
  const withAddress = services.filter(({ spec }) => !["", "None"].includes(spec?.clusterIP ?? ""))
  return new Map(withAddress.flatMap(variablesOf))
}
