import { counter, defaultBuckets, gauge, histogram } from "@rollcall/time"

/* Upstream: pkg/registry/core/service/{ipallocator,portallocator}/metrics.go. */

const ADDRESSES = "kube_apiserver_clusterip_allocator_"
const PORTS = "kube_apiserver_nodeport_allocator_"

export const allocatorFamilies = {
  addresses: gauge(`${ADDRESSES}allocated_ips`, "ALPHA", "Addresses that Services have.", ["cidr"]),
  freeAddresses: gauge(`${ADDRESSES}available_ips`, "ALPHA", "Addresses that are left for Services.", ["cidr"]),
  addressAllocations: counter(
    `${ADDRESSES}allocation_total`,
    "ALPHA",
    "Addresses given to Services: chosen by the server (dynamic), or requested (static).",
    ["cidr", "scope"]
  ),
  addressErrors: counter(`${ADDRESSES}allocation_errors_total`, "ALPHA", "Services that could not have an address.", [
    "cidr",
    "scope"
  ]),
  durations: histogram(
    `${ADDRESSES}allocation_duration_seconds`,
    defaultBuckets,
    "ALPHA",
    "How long allocations of addresses took.",
    ["cidr"]
  ),
  ports: gauge(`${PORTS}allocated_ports`, "ALPHA", "Node ports that Services have."),
  freePorts: gauge(`${PORTS}available_ports`, "ALPHA", "Node ports that are left for Services."),
  portAllocations: counter(`${PORTS}allocation_total`, "ALPHA", "Node ports given to Services.", ["scope"]),
  portErrors: counter(`${PORTS}allocation_errors_total`, "ALPHA", "Services that could not have a node port.", [
    "scope"
  ])
}
