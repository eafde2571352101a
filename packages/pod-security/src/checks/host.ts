import { containersOf, type Handler } from "../PodSpec.ts"
import { type CheckPod, namesOf } from "./Check.ts"
import { distinct, joinQuoted, namesWith, plural, settersOf } from "./words.ts"

/* What gives a pod access to its node. */

export const hostNamespaces: CheckPod = ({ hostIPC, hostNetwork, hostPID }) => {
  const shared = Object.entries({ hostNetwork, hostPID, hostIPC }).flatMap(([name, value]) =>
    value === true ? [`${name}=true`] : []
  )
  return shared.length === 0 ? undefined : { reason: "host namespaces", detail: shared.join(", ") }
}

export const hostPorts: CheckPod = (spec) => {
  const portsOf = ({ ports = [] }: ReturnType<typeof containersOf>[number]) =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]))
  const names = namesOf(spec, (container) => portsOf(container).length > 0)
  if (names.length === 0) return undefined
  const ports = distinct(containersOf(spec).flatMap(portsOf))
  const uses = `${plural(names.length, "uses", "use")} ${plural(ports.length, "hostPort")}`
  return { reason: "hostPort", detail: `${namesWith("container", names)} ${uses} ${ports.join(", ")}` }
}

const hostsOf = (handler: Handler | undefined): ReadonlyArray<string> =>
  [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => (host ? [host] : []))

/** A host of a probe or hook lets the kubelet reach for any address. */
export const hostProbes: CheckPod = (spec) => {
  const bad = containersOf(spec).map(
    ({ lifecycle, livenessProbe, name = "", readinessProbe, startupProbe }) =>
      [
        name,
        [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsOf)
      ] as const
  )
  const names = distinct(bad.flatMap(([name, hosts]) => (hosts.length === 0 ? [] : [name])))
  if (names.length === 0) return undefined
  const hosts = distinct(bad.flatMap(([, found]) => found))
  const uses = `${plural(names.length, "uses", "use")} ${plural(hosts.length, "probe or lifecycle host")}`
  return {
    reason: "probe or lifecycle host",
    detail: `${namesWith("container", names)} ${uses} ${joinQuoted(hosts)}`
  }
}

export const windowsHostProcess: CheckPod = (spec) => {
  const isHostProcess = ({ securityContext }: { readonly securityContext?: { windowsOptions?: Windows } }) =>
    securityContext?.windowsOptions?.hostProcess === true
  const setters = settersOf(isHostProcess(spec), namesOf(spec, isHostProcess))
  if (setters === "") return undefined
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` }
}

interface Windows {
  readonly hostProcess?: boolean
}
