import { type Container, type ContainerPort, isSidecar, type Pod } from "@rollcall/api"

/** A port of the node that a container uses. */
export interface HostPort {
  readonly address: string
  readonly protocol: string
  readonly port: number
}

const ANY = "0.0.0.0"
const NONE: ReadonlyArray<HostPort> = []

const addPorts = (
  ports: ReadonlyArray<ContainerPort>,
  into: Array<HostPort> | undefined
): Array<HostPort> | undefined => {
  let found = into
  for (const { hostIP = "", hostPort = 0, protocol = "TCP" } of ports) {
    if (hostPort <= 0) continue
    found ??= []
    found.push({ address: hostIP === "" ? ANY : hostIP, protocol, port: hostPort })
  }
  return found
}

/** Returns the host ports of the pod's containers and sidecars. Upstream: pkg/scheduler/util GetHostPorts. */
export const hostPortsOf = ({ spec }: Pod): ReadonlyArray<HostPort> => {
  let found: Array<HostPort> | undefined
  const collect = ({ ports }: Pick<Container, "ports">): void => {
    if (ports !== undefined) found = addPorts(ports, found)
  }
  for (const container of spec.containers) collect(container)
  for (const container of spec.initContainers ?? []) if (isSidecar(container)) collect(container)
  return found ?? NONE
}

/** Whether two host ports exclude each other. Upstream: kube-scheduler/framework HostPortInfo.CheckConflict. */
export const portsConflict = (left: HostPort, right: HostPort): boolean =>
  left.port === right.port &&
  left.protocol === right.protocol &&
  (left.address === right.address || left.address === ANY || right.address === ANY)

/** Whether one of the pods uses one of the wanted ports. */
export const arePortsInUse = (wanted: ReadonlyArray<HostPort>, pods: ReadonlyArray<Pod>): boolean =>
  wanted.length > 0 &&
  pods.some((pod) => hostPortsOf(pod).some((used) => wanted.some((port) => portsConflict(port, used))))
