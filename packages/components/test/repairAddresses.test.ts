import { assert, describe, it } from "@effect/vitest"
import { formatTime, type IPAddress, type Service } from "@rollcall/api"
import { type KnownAddresses, repairAddresses, serviceKey } from "../src/apiserver/kept/repairAddresses.ts"

const NOW = Date.UTC(2026, 0, 1)
const IP = "10.96.0.9"
const ago = (seconds: number) => formatTime(NOW - seconds * 1000)

const service = (name: string, resourceVersion = "1", more: object = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "default", name, resourceVersion, creationTimestamp: ago(600) },
  spec: { clusterIP: IP, clusterIPs: [IP], ...more }
})

const labels = {
  "ipaddress.kubernetes.io/ip-family": "IPv4",
  "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"
}

const address = (parent: string, age = 300, more: object = {}): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: { name: IP, labels, creationTimestamp: ago(age), ...more },
  spec: { parentRef: { resource: "services", namespace: "default", name: parent } }
})

const gateway: IPAddress = { ...address("g"), spec: { parentRef: { group: "x.io", resource: "gateways", name: "g" } } }

/** What a pass found that compared the Service `a`. */
const knows: KnownAddresses = new Map([["default/a", [IP]]])

/** The same, when it had another address. */
const knowsOther: KnownAddresses = new Map([["default/a", ["10.96.0.8"]]])

interface Case {
  readonly services: ReadonlyArray<Service>
  readonly addresses: ReadonlyArray<IPAddress>
  readonly known?: KnownAddresses
  /** Whether only the objects are looked at, because no Service has changed. */
  readonly seesNoService?: boolean
}

/** Each answers: what is deleted, then made, then the warnings, and in how many seconds something may be wrong. */
const cases: ReadonlyArray<readonly [when: string, state: Case, does: ReadonlyArray<string>]> = [
  ["a Service is new", { services: [service("a")], addresses: [] }, ["create a"]],
  ["an object is deleted by hand", { services: [service("a")], addresses: [], known: knows, seesNoService: true }, []],
  [
    "all are compared",
    { services: [service("a")], addresses: [], known: knows },
    ["create a", `ClusterIPNotAllocated: Cluster IP [IPv4]: ${IP} is not allocated; repairing`]
  ],
  [
    "its Service changes",
    { services: [service("a", "2")], addresses: [], known: knows },
    ["create a", `ClusterIPNotAllocated: Cluster IP [IPv4]: ${IP} is not allocated; repairing`]
  ],
  ["an object is right", { services: [service("a")], addresses: [address("a")] }, []],
  [
    "an object of a Service has no labels",
    { services: [service("a")], addresses: [address("a", 300, { labels: {} })] },
    ["delete", "create a"]
  ],
  [
    "an object names a Service that is gone",
    { services: [service("a")], addresses: [address("b")] },
    [
      "delete",
      "create a",
      `ClusterIPNotAllocated: the ClusterIP [IPv4]: ${IP} for Service default/a has a wrong reference; repairing`
    ]
  ],
  ["a Service is deleted", { services: [], addresses: [address("a")], known: knows }, ["delete"]],
  [
    "a Service gives its address up",
    {
      services: [service("a", "2", { clusterIPs: [], type: "ExternalName" })],
      addresses: [address("a")],
      known: knows
    },
    ["delete"]
  ],
  ["a Service may be on its way", { services: [], addresses: [address("c", 20)] }, ["40"]],
  [
    "no Service came",
    { services: [], addresses: [address("c", 61)] },
    ["delete", `IPAddressNotAllocated: IPAddress: ${IP} for Service default/c appears to have leaked: cleaning up`]
  ],
  [
    "an object names no Service",
    { services: [], addresses: [gateway] },
    [
      "delete",
      `IPAddressNotAllocated: IPAddress ${IP} appears to have been modified, not referencing a Service &ParentReference{Group:x.io,Resource:gateways,Namespace:,Name:g,}: cleaning up`
    ]
  ],
  ["another allocator has the object", { services: [], addresses: [address("c", 300, { labels: {} })] }, []],
  [
    "a create may be reverted",
    {
      services: [service("a", "1", { clusterIPs: ["10.96.0.8"] })],
      addresses: [address("a", 2)],
      known: knowsOther,
      seesNoService: true
    },
    ["3"]
  ],
  [
    "a Service has another address",
    {
      services: [service("a", "1", { clusterIPs: ["10.96.0.8"] })],
      addresses: [address("a", 5)],
      known: knowsOther,
      seesNoService: true
    },
    ["delete", `IPAddressWrongReference: IPAddress: ${IP} for Service default/a has a wrong reference; cleaning up`]
  ]
]

describe("the objects of the addresses of Services", () => {
  it.each(cases)("when %s", (_, { addresses, known = new Map(), seesNoService = false, services }, does) => {
    const { creates, deletes, dueMs, warnings } = repairAddresses({
      services: new Map(services.map((each) => [serviceKey(each), each])),
      addresses: new Map(addresses.map((each) => [each.metadata.name ?? "", each])),
      known,
      seenServices: seesNoService ? [] : services.map(serviceKey),
      seenAddresses: addresses.map(({ metadata }) => metadata.name ?? ""),
      nowMs: NOW
    })
    const seconds = [...dueMs.values()].map((time) => String(Math.floor((time - NOW) / 1000)))
    const done = [
      ...deletes.map(() => "delete"),
      ...creates.map(([, { metadata }]) => `create ${metadata.name}`),
      ...warnings.map(({ note, reason }) => `${reason}: ${note}`),
      ...seconds
    ]
    assert.deepStrictEqual(done, does)
  })
})
