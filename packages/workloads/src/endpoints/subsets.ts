import {
  canonicalJson,
  type EndpointAddress,
  type EndpointSubset,
  type Endpoints,
  isPodReady,
  type Pod,
  type Service,
  sortedEntries
} from "@rollcall/api"
import { subsetPortsInOrder } from "./portOrder.ts"
import {
  type AddressType,
  addressTypesOf,
  belongsToEndpoints,
  type EndpointPorts,
  endpointOf,
  portsFor
} from "./serviceEndpoints.ts"

const labelManagedBy = "endpoints.kubernetes.io/managed-by"
const endpointsManager = "endpoint-controller"
const labelHeadless = "service.kubernetes.io/headless"

const byAddress = (left: EndpointAddress, right: EndpointAddress): number =>
  left.ip < right.ip ? -1 : left.ip > right.ip ? 1 : 0

const addressOf = (service: Service, pod: Pod, family: AddressType): EndpointAddress | undefined => {
  const endpoint = endpointOf(service, pod, undefined, family)
  const ip = endpoint?.addresses[0]
  if (endpoint === undefined || ip === undefined) return undefined
  const { hostname, nodeName, targetRef } = endpoint
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef })
  }
}

const subsetPorts = (ports: EndpointPorts): NonNullable<EndpointSubset["ports"]> =>
  ports.map(({ appProtocol, name = "", port = 0, protocol = "TCP" }) => ({
    ...(name === "" ? {} : { name }),
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol })
  }))

interface Group {
  readonly ports: EndpointPorts
  readonly addresses: Array<EndpointAddress>
  readonly notReadyAddresses: Array<EndpointAddress>
}

/**
 * A service's Endpoints object. It has the addresses of the service's first family only; terminating pods are left out,
 * unless the service publishes unready addresses.
 * Upstream: pkg/controller/endpoint/endpoints_controller.go syncService.
 */
export const endpointsOf = (service: Service, pods: Iterable<Pod>): Endpoints => {
  const publishAll = service.spec?.publishNotReadyAddresses === true
  const [family = "IPv4"] = addressTypesOf(service)
  const groups = new Map<string, Group>()
  for (const pod of pods) {
    if (!belongsToEndpoints(pod) || (!publishAll && pod.metadata.deletionTimestamp !== undefined)) continue
    const address = addressOf(service, pod, family)
    const ports = portsFor(service, pod)
    if (address === undefined || (ports.length === 0 && (service.spec?.ports ?? []).length > 0)) continue
    const key = canonicalJson(ports)
    const group = groups.get(key) ?? { ports, addresses: [], notReadyAddresses: [] }
    groups.set(key, group)
    if (publishAll || isPodReady(pod)) group.addresses.push(address)
    else group.notReadyAddresses.push(address)
  }
  const subsets = sortedEntries(groups).map(
    ([, { addresses, notReadyAddresses, ports }]): EndpointSubset => ({
      ...(addresses.length === 0 ? {} : { addresses: addresses.sort(byAddress) }),
      ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses: notReadyAddresses.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports: subsetPorts(subsetPortsInOrder(ports)) })
    })
  )
  const { labels, name = "", namespace = "default" } = service.metadata
  const { [labelHeadless]: _, ...own } = labels ?? {}
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name,
      namespace,
      labels: {
        ...own,
        [labelManagedBy]: endpointsManager,
        ...(service.spec?.clusterIP === "None" ? { [labelHeadless]: "" } : {})
      }
    },
    ...(subsets.length === 0 ? {} : { subsets })
  }
}

/**
 * Whether the labels are those of the service, beside the controller's own two. A service that has one of these has more
 * than is written. Upstream: labelsCorrectForEndpoints.
 */
const fitsLabels = ({ metadata }: Endpoints, service: Service): boolean => {
  const { [labelManagedBy]: manager, [labelHeadless]: _, ...own } = metadata.labels ?? {}
  return manager === endpointsManager && canonicalJson(own) === canonicalJson(service.metadata.labels ?? {})
}

/** Whether Endpoints are as desired of their service; the annotation of the trigger time is not compared. */
export const areCurrent = (current: Endpoints, desired: Endpoints, service: Service): boolean =>
  canonicalJson(current.subsets ?? []) === canonicalJson(desired.subsets ?? []) && fitsLabels(current, service)
