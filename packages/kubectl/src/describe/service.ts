import { type Event, type KubeObject, sortedEntries } from "@rollcall/api"
import { writeEvents, writeHead } from "./parts.ts"
import { Writer } from "./Writer.ts"

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly targetPort?: number | string
  readonly nodePort?: number
}

export interface ServiceObject extends KubeObject {
  readonly spec?: {
    readonly type?: string
    readonly selector?: Readonly<Record<string, string>>
    readonly ipFamilyPolicy?: string
    readonly ipFamilies?: ReadonlyArray<string>
    readonly clusterIP?: string
    readonly clusterIPs?: ReadonlyArray<string>
    readonly externalIPs?: ReadonlyArray<string>
    readonly externalName?: string
    readonly ports?: ReadonlyArray<ServicePort>
    readonly sessionAffinity?: string
    readonly externalTrafficPolicy?: string
    readonly internalTrafficPolicy?: string
  }
}

export interface SliceObject extends KubeObject {
  readonly endpoints?: ReadonlyArray<{
    readonly addresses?: ReadonlyArray<string>
    readonly conditions?: { readonly ready?: boolean }
  }>
  readonly ports?: ReadonlyArray<{ readonly name?: string; readonly port?: number }>
}

const SHOWN = 3

/** Returns the addresses of the ready endpoints of a port. */
const endpointsText = (slices: ReadonlyArray<SliceObject>, { name = "" }: ServicePort): string => {
  const found = slices.flatMap(({ endpoints = [], ports = [] }) =>
    ports
      .filter((port) => (port.name ?? "") === name)
      .flatMap(({ port }) =>
        endpoints
          .filter(({ conditions }) => conditions?.ready !== false)
          .flatMap(({ addresses = [] }) =>
            addresses.map((ip) => (ip.includes(":") ? `[${ip}]:${port ?? 0}` : `${ip}:${port ?? 0}`))
          )
      )
  )
  if (found.length === 0) return "<none>"
  const shown = found.slice(0, SHOWN).join(",")
  return found.length > SHOWN ? `${shown} + ${found.length - SHOWN} more...` : shown
}

const writePort = (out: Writer, port: ServicePort, slices: ReadonlyArray<SliceObject>): void => {
  const name = port.name || "<unset>"
  const protocol = port.protocol ?? "TCP"
  out.line(0, "Port:", name, `${port.port}/${protocol}`)
  out.line(0, "TargetPort:", `${port.targetPort ?? port.port}/${protocol}`)
  if (port.nodePort) out.line(0, "NodePort:", name, `${port.nodePort}/${protocol}`)
  out.line(0, "Endpoints:", endpointsText(slices, port))
}

/** `kubectl describe service`. Upstream: kubectl/pkg/describe/describe.go, describeService. */
export const describeService = (
  service: ServiceObject,
  slices: ReadonlyArray<SliceObject>,
  events: ReadonlyArray<Event> | undefined,
  nowMs: number
): string => {
  const out = new Writer()
  const { spec } = service
  writeHead(out, service)
  const selector = sortedEntries(spec?.selector).map(([key, value]) => `${key}=${value}`)
  out.line(0, "Selector:", selector.join(",") || "<none>")
  out.line(0, "Type:", spec?.type ?? "")
  if (spec?.ipFamilyPolicy) out.line(0, "IP Family Policy:", spec.ipFamilyPolicy)
  if (spec?.ipFamilies !== undefined) out.line(0, "IP Families:", spec.ipFamilies.join(",") || "<none>")
  out.line(0, "IP:", spec?.clusterIP ?? "")
  if (spec?.clusterIPs !== undefined) out.line(0, "IPs:", spec.clusterIPs.join(",") || "<none>")
  if (spec?.externalIPs?.length) out.line(0, "External IPs:", spec.externalIPs.join(","))
  if (spec?.externalName) out.line(0, "External Name:", spec.externalName)
  for (const port of spec?.ports ?? []) writePort(out, port, slices)
  out.line(0, "Session Affinity:", spec?.sessionAffinity ?? "")
  if (spec?.externalTrafficPolicy) out.line(0, "External Traffic Policy:", spec.externalTrafficPolicy)
  if (spec?.internalTrafficPolicy) out.line(0, "Internal Traffic Policy:", spec.internalTrafficPolicy)
  writeEvents(out, events, nowMs)
  return out.text
}
