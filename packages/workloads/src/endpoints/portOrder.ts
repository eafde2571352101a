import type { EndpointPorts } from "./serviceEndpoints.ts"

type EndpointPort = EndpointPorts[number]

const FNV_BASIS = 0x6c62272e07bb014262b821756295c58dn
const FNV_PRIME = 0x0000000001000000000000000000013bn

/** FNV-1a of 128 bits over ASCII, which the fields of a valid port are. */
const fnv128a = (text: string): bigint => {
  let hash = FNV_BASIS
  for (let index = 0; index < text.length; index++) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(text.charCodeAt(index))) * FNV_PRIME)
  }
  return hash
}

/** Writes a port of a slice as Kubernetes prints its memory. Upstream: k8s.io/utils/dump ForHash. */
const slicePortText = ({ appProtocol = "<nil>", name = "", port, protocol = "TCP" }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(*string)${name} Protocol:(*v1.Protocol)${protocol} Port:(*int32)${port ?? "<nil>"} AppProtocol:(*string)${appProtocol}}`

/** Writes a port of Endpoints in the same way. */
const subsetPortText = ({ appProtocol = "<nil>", name = "", port = 0, protocol = "TCP" }: EndpointPort): string =>
  `(v1.EndpointPort){Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol}}`

const inOrderOf = (ports: EndpointPorts, textOf: (port: EndpointPort) => string): EndpointPorts => {
  if (ports.length < 2) return ports
  const hashed = ports.map((port) => ({ port, hash: fnv128a(textOf(port)) }))
  return hashed.sort((left, right) => (left.hash < right.hash ? -1 : 1)).map(({ port }) => port)
}

/** The ports in the order of their hashes, which slices have. Upstream: endpointslice/util NewPortMapKey. */
export const slicePortsInOrder = (ports: EndpointPorts): EndpointPorts => inOrderOf(ports, slicePortText)

/** The ports in the order that Endpoints have. Upstream: pkg/api/v1/endpoints SortSubsets. */
export const subsetPortsInOrder = (ports: EndpointPorts): EndpointPorts => inOrderOf(ports, subsetPortText)
