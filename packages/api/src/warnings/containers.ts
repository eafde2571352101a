import type { Container, ContainerPort, EphemeralContainer } from "../objects/Container.ts"
import type { PodSpec } from "../objects/Pod.ts"
import { goQuote } from "../validation/goFormat.ts"
import { fractionWarning } from "./fractions.ts"

/** A container of any list, and its path. */
export type Placed = readonly [container: Container | EphemeralContainer, path: string]

/** Returns the containers in the order in which Kubernetes visits them. */
export const containersOf = (spec: PodSpec, path: string): ReadonlyArray<Placed> =>
  (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index): Placed => [container, `${path}.${list}[${index}]`])
  )

const byteResources = ["memory", "ephemeral-storage"] as const

/** Returns a warning for each variable that hides an earlier one without referring to it. */
const envWarnings = ({ env = [] }: Container, path: string): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return env.flatMap(({ name, value = "", valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const reference = `$(${name})`
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference)
    return hides
      ? [`${path}.env[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`]
      : []
  })
}

export const containerWarnings = ([container, path]: Placed): ReadonlyArray<string> => {
  const { resources } = container
  const fractions = byteResources.flatMap((name) =>
    (["limits", "requests"] as const).flatMap((list) =>
      fractionWarning(resources?.[list]?.[name], `${path}.resources.${list}[${name}]`)
    )
  )
  return [...fractions, ...envWarnings(container, path)]
}

interface PlacedPort {
  readonly port: ContainerPort
  readonly path: string
}

/** Returns how two ports with one number and protocol get in each other's way; undefined if they do not. */
const overlapOf = ({ hostIP = "", hostPort = 0 }: ContainerPort, other: ContainerPort): string | undefined => {
  const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other
  if (hostIP === otherIP && hostPort === otherPort) return "duplicate"
  if (hostPort === 0 || otherPort === 0) return "overlapping"
  return hostPort === otherPort && (hostIP === "") !== (otherIP === "") ? "dangerously ambiguous" : undefined
}

const shownPort = ({ containerPort, hostIP = "", hostPort = 0, name = "", protocol = "" }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

/** Returns the warnings for ports of all containers together. */
export const portWarnings = (containers: ReadonlyArray<Placed>): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  const byNumber = new Map<string, Array<PlacedPort>>()
  const placed = containers.flatMap(([{ ports = [] }, path]) =>
    ports.map((port, index): PlacedPort => ({ port, path: `${path}.ports[${index}]` }))
  )
  for (const one of placed) {
    const { path, port } = one
    if (port.hostIP && !port.hostPort) warnings.push(`${path}: hostIP set without hostPort: ${shownPort(port)}`)
    const key = `${port.containerPort}/${port.protocol}`
    const others = byNumber.get(key) ?? []
    for (const other of others) {
      const overlap = overlapOf(port, other.port)
      if (overlap !== undefined) warnings.push(`${path}: ${overlap} port definition with ${other.path}`)
    }
    byNumber.set(key, [...others, one])
  }
  const byName = new Map<string, string>()
  for (const { path, port } of placed) {
    const { name } = port
    if (!name) continue
    const other = byName.get(name)
    if (other === undefined) byName.set(name, path)
    else {
      const selected = `services and probes that select ports by name will use ${other}`
      warnings.push(`${path}: duplicate port name ${goQuote(name)} with ${other}, ${selected}`)
    }
  }
  return warnings
}
