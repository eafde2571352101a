import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, type EndpointSlice, formatTime, type Pod, type Service, type Status } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { writtenSlice } from "../src/endpoints/slices.ts"
import { areCurrent, endpointsOf } from "../src/endpoints/subsets.ts"
import { sliceChanges } from "../src/rules.ts"
import { START, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const serviceOf = (spec: Partial<NonNullable<Service["spec"]>> = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default", uid: "s" },
  spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }], ...spec }
})

const podOf = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { app: "web" } },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort: 8080 }] }] }
})

const runningPod = (pod: Pod, ip: string, ready: boolean): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }]
  }
})

const slicesOf = ({ cluster }: WorkloadsSetup) => Effect.map(cluster.list("EndpointSlice"), ({ items }) => items)
const endpointsByAddress = (slices: ReadonlyArray<EndpointSlice>) =>
  Object.fromEntries(
    slices.flatMap(({ endpoints = [] }) => endpoints.map(({ conditions, targetRef }) => [targetRef?.name, conditions]))
  )

const start = (setup: WorkloadsSetup, name: string, ip: string, ready: boolean) =>
  Effect.gen(function* () {
    const pod = yield* setup.cluster.create("Pod", podOf(name))
    yield* setup.cluster.updateStatus("Pod", runningPod(pod, ip, ready))
  })

const oneSecond = Effect.sleep("1 second")

const nodeOf = (setup: WorkloadsSetup, labels: Record<string, string> = {}) =>
  setup.cluster.create("Node", { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } })

describe("the slice of a service without endpoints", () => {
  it("is written without lists, which would count as set", () => {
    const { create } = sliceChanges(serviceOf(), [{ addressType: "IPv4", ports: [], endpoints: [] }], [])
    assert.deepStrictEqual(create.map(writtenSlice).flatMap(Object.keys).sort(), [
      "addressType",
      "apiVersion",
      "kind",
      "metadata"
    ])
  })
})

describe("EndpointSlices", () => {
  it("takes a slice that a server shows without endpoints for an empty one, and sees to the other services", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* nodeOf(setup)
        const labels = {
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"
        }
        const slice = { addressType: "IPv4", metadata: { name: "bare", namespace: "default", labels } } as const
        yield* setup.cluster.create("EndpointSlice", {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          ...slice
        })
        yield* setup.cluster.create("Service", serviceOf())
        yield* setup.cluster.create("Service", { ...serviceOf(), metadata: { name: "other", namespace: "default" } })
        yield* start(setup, "a", "10.0.0.1", true)
        yield* oneSecond
        const ready = (yield* slicesOf(setup)).flatMap(({ endpoints = [], metadata }) =>
          endpoints.length === 0 ? [] : [metadata.labels?.["kubernetes.io/service-name"]]
        )
        assert.deepStrictEqual(ready.toSorted(), ["other", "web"])
      })
    ))

  it("says who is ready, who serves, and who is on the way out", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* nodeOf(setup)
        yield* setup.cluster.create("Service", serviceOf())
        yield* oneSecond
        const [empty] = yield* slicesOf(setup)
        assert.deepStrictEqual(empty?.endpoints, [])
        yield* start(setup, "a", "10.0.0.1", true)
        yield* start(setup, "b", "10.0.0.2", false)
        yield* start(setup, "c", "10.0.0.3", true)
        yield* setup.cluster.create("Pod", podOf("no-address"))
        yield* setup.cluster.delete("Pod", { namespace: "default", name: "c" })
        yield* oneSecond
        const slices = yield* slicesOf(setup)
        assert.strictEqual(slices.length, 1)
        assert.deepStrictEqual(slices[0]?.ports, [{ name: "", protocol: "TCP", port: 8080 }])
        assert.deepStrictEqual(endpointsByAddress(slices), {
          a: { ready: true, serving: true, terminating: false },
          b: { ready: false, serving: false, terminating: false },
          c: { ready: false, serving: true, terminating: true }
        })
        assert.strictEqual(slices[0]?.metadata.labels?.["kubernetes.io/service-name"], "web")
        // The older form knows nothing of those on their way out.
        const { subsets } = yield* setup.cluster.get("Endpoints", { namespace: "default", name: "web" })
        const ips = (addresses: ReadonlyArray<{ readonly ip: string }> = []) => addresses.map(({ ip }) => ip)
        assert.strictEqual(subsets?.length, 1)
        assert.deepStrictEqual(ips(subsets?.[0]?.addresses), ["10.0.0.1"])
        assert.deepStrictEqual(ips(subsets?.[0]?.notReadyAddresses), ["10.0.0.2"])
        yield* setup.cluster.delete("Service", { namespace: "default", name: "web" })
        yield* oneSecond
        assert.isEmpty((yield* setup.cluster.list("Endpoints")).items)
      })
    ))

  it("publishes unready addresses if requested, and removes terminated pods", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Service", serviceOf({ publishNotReadyAddresses: true, clusterIP: "None" }))
        yield* start(setup, "a", "10.0.0.1", false)
        yield* start(setup, "b", "10.0.0.2", true)
        yield* oneSecond
        const slices = yield* slicesOf(setup)
        assert.deepStrictEqual(endpointsByAddress(slices).a, { ready: true, serving: false, terminating: false })
        assert.strictEqual(slices[0]?.metadata.labels?.["service.kubernetes.io/headless"], "")
        const b = (yield* setup.pods).find(({ metadata }) => metadata.name === "b")
        if (b !== undefined)
          yield* setup.cluster.updateStatus("Pod", { ...b, status: { ...b.status, phase: "Failed" } })
        yield* oneSecond
        assert.deepStrictEqual(Object.keys(endpointsByAddress(yield* slicesOf(setup))), ["a"])
      })
    ))

  it("leaves out a pod without its node, and adds it when the node is created again", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Service", serviceOf())
        yield* start(setup, "a", "10.0.0.1", true)
        yield* oneSecond
        assert.deepStrictEqual(endpointsByAddress(yield* slicesOf(setup)), {})
        const { message } = (yield* setup.events).find(({ reason }) => reason === "FailedToUpdateEndpointSlices") ?? {}
        assert.strictEqual(
          message,
          "Error updating Endpoint Slices for Service default/web: skipping Pod a for Service default/web: Node n1 Not Found"
        )
        yield* nodeOf(setup)
        yield* Effect.sleep("10 seconds")
        assert.deepStrictEqual(Object.keys(endpointsByAddress(yield* slicesOf(setup))), ["a"])
      })
    ))

  it("says for whose traffic an endpoint is, and when what it follows from changed", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* nodeOf(setup, { "topology.kubernetes.io/zone": "z1" })
        yield* setup.cluster.create("Service", serviceOf({ trafficDistribution: "PreferSameZone" }))
        yield* start(setup, "a", "10.0.0.1", true)
        yield* start(setup, "b", "10.0.0.2", false)
        yield* oneSecond
        const hints = Effect.map(slicesOf(setup), (slices) =>
          Object.fromEntries(
            slices.flatMap(({ endpoints = [] }) => endpoints.map((one) => [one.targetRef?.name, one.hints]))
          )
        )
        assert.deepStrictEqual(yield* hints, { a: { forZones: [{ name: "z1" }] }, b: undefined })
        const key = { namespace: "default", name: "web" }
        yield* setup.cluster.patch("Service", key, "merge", { spec: { trafficDistribution: "PreferSameNode" } })
        yield* oneSecond
        assert.deepStrictEqual((yield* hints).a, { forZones: [{ name: "z1" }], forNodes: [{ name: "n1" }] })
        const b = (yield* setup.pods).find(({ metadata }) => metadata.name === "b")
        if (b !== undefined) yield* setup.makeReady({ ...b, status: { ...b.status } })
        yield* oneSecond
        const [slice] = yield* slicesOf(setup)
        const at = slice?.metadata.annotations?.["endpoints.kubernetes.io/last-change-trigger-time"]
        assert.strictEqual(at, formatTime(START + 2000))
      })
    ))

  it("lists the ports in the order of their hashes", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* nodeOf(setup)
        // Recorded: kube-controller-manager v1.36 writes 53 before 80 into slices, and 80 before 53 into Endpoints.
        const tcp = [
          { name: "port-1", port: 80 },
          { name: "port-2", port: 53 }
        ]
        // The other way round: the UDP port is behind.
        const both = [
          { name: "port-1", port: 80 },
          { name: "port-2", port: 53, protocol: "UDP" as const }
        ]
        yield* setup.cluster.create("Service", serviceOf({ ports: tcp }))
        yield* setup.cluster.create("Service", {
          ...serviceOf({ ports: both }),
          metadata: { name: "b", namespace: "default" }
        })
        yield* start(setup, "a", "10.0.0.1", true)
        yield* oneSecond
        const portsOf = Object.fromEntries(
          (yield* slicesOf(setup)).map(({ metadata: { labels }, ports }) => [
            labels?.["kubernetes.io/service-name"],
            ports?.map(({ port }) => port)
          ])
        )
        assert.deepStrictEqual(portsOf, { web: [53, 80], b: [80, 53] })
        const { subsets } = yield* setup.cluster.get("Endpoints", { namespace: "default", name: "web" })
        assert.deepStrictEqual(
          subsets?.[0]?.ports?.map(({ port }) => port),
          [80, 53]
        )
      })
    ))

  it("keeps slices of each family apart, and makes a new one out of an old one where it can", () => {
    const family = (addressType: "IPv4" | "IPv6", port: number, ...uids: ReadonlyArray<string>) => ({
      addressType,
      ports: port === 0 ? [] : [{ name: "", protocol: "TCP" as const, port }],
      endpoints: uids.map((uid) => ({ addresses: [uid], targetRef: { kind: "Pod", uid } }))
    })
    const named = (slices: ReadonlyArray<EndpointSlice>) =>
      slices.map((slice, index) => ({
        ...slice,
        metadata: { ...slice.metadata, name: `s${index}`, resourceVersion: "7" }
      }))
    const first = sliceChanges(serviceOf(), [family("IPv4", 80, "a"), family("IPv6", 0)], [])
    assert.deepStrictEqual(
      first.create.map(({ addressType, endpoints = [] }) => [addressType, endpoints.length]),
      [
        ["IPv4", 1],
        ["IPv6", 0]
      ],
      "an empty one for the family that has none"
    )
    const slices = named(first.create)
    const other = sliceChanges(serviceOf(), [family("IPv4", 81, "a"), family("IPv6", 0)], slices)
    assert.deepStrictEqual([other.create, other.remove], [[], []])
    assert.deepStrictEqual(
      other.update.map(({ metadata, ports }) => [metadata.name, metadata.resourceVersion, ports?.[0]?.port]),
      [["s0", undefined, 81]],
      "whatever the old one has become meanwhile"
    )
    const one = sliceChanges(serviceOf(), [family("IPv4", 80, "a")], slices)
    assert.deepStrictEqual(
      one.remove.map(({ addressType }) => addressType),
      ["IPv6"]
    )
  })

  it("adds endpoints to an empty slice of their ports, and takes no endpoints into a slice that has lost its own", () => {
    const group = (...uids: ReadonlyArray<string>) => ({
      addressType: "IPv4" as const,
      ports: [],
      endpoints: uids.map((uid) => ({ addresses: [uid], targetRef: { kind: "Pod", uid } }))
    })
    const stored = (slice: EndpointSlice | undefined): EndpointSlice =>
      ({ ...slice, metadata: { ...slice?.metadata, name: "s", resourceVersion: "7" } }) as EndpointSlice
    const versions = (slices: ReadonlyArray<EndpointSlice>) => slices.map(({ metadata }) => metadata.resourceVersion)
    const empty = stored(sliceChanges(serviceOf(), [group()], []).create[0])
    const filled = sliceChanges(serviceOf(), [group("a")], [empty])
    assert.deepStrictEqual([filled.create, filled.remove, versions(filled.update)], [[], [], ["7"]])
    const other = sliceChanges(serviceOf(), [group("b")], [stored(filled.update[0])])
    assert.deepStrictEqual([other.create, other.remove, versions(other.update)], [[], [], [undefined]])
    assert.deepStrictEqual(sliceChanges(serviceOf(), [group()], [empty]), { create: [], update: [], remove: [] })
    const { metadata, ...rest } = serviceOf()
    const labelled = { ...rest, metadata: { ...metadata, labels: { a: "3" } } }
    const relabelled = sliceChanges(labelled, [group()], [empty])
    assert.deepStrictEqual([relabelled.create, relabelled.remove], [[], []])
    assert.strictEqual(relabelled.update[0]?.metadata.labels?.a, "3")
  })

  it("does not look at its services because a node has changed", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* nodeOf(setup)
        yield* setup.cluster.create("Service", serviceOf({ trafficDistribution: "PreferSameZone" }))
        const pod = yield* start(setup, "a", "10.0.0.1", true)
        yield* oneSecond
        const written = Effect.map(
          setup.cluster.list("EndpointSlice"),
          ({ items }) => items[0]?.metadata.resourceVersion
        )
        const before = yield* written
        const labels = { "topology.kubernetes.io/zone": "elsewhere" }
        yield* setup.cluster.patch("Node", { name: "n1" }, "merge", { metadata: { labels } })
        yield* Effect.sleep("1 minute")
        assert.strictEqual(yield* written, before)
        yield* setup.cluster.patch("Pod", { namespace: "default", name: "a" }, "merge", {
          metadata: { labels: { b: "c" } }
        })
        yield* oneSecond
        assert.notStrictEqual(yield* written, before)
        return pod
      })
    ))

  it("gives up in a terminating namespace, and tells of other refusals", () => {
    const told = (causes: ReadonlyArray<object>) => {
      const refused: Array<string> = []
      const status = {
        apiVersion: "v1",
        kind: "Status",
        metadata: {},
        reason: "Forbidden",
        code: 403,
        details: { causes }
      } as Status
      const reasons = withControllers(
        ({ cluster, events }) =>
          Effect.gen(function* () {
            yield* cluster.create("Service", serviceOf({ selector: { app: "web" } }))
            yield* Effect.sleep("30 seconds")
            const all = yield* events
            return all.map(({ involvedObject, reason }) => `${reason} ${involvedObject?.kind}`)
          }),
        (connection) => ({
          ...connection,
          send: (request, reply) => {
            const { kind, verb } = request
            if (verb !== "create" || (kind !== "EndpointSlice" && kind !== "Endpoints"))
              return connection.send(request, reply)
            refused.push(kind)
            reply(Result.fail(new ApiError({ status })))
            return () => {}
          }
        })
      )
      return { reasons: [...new Set(reasons)].sort(), refused: refused.sort() }
    }
    const terminating = told([{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }])
    assert.deepStrictEqual(terminating, { reasons: [], refused: ["EndpointSlice", "Endpoints"] })
    assert.deepStrictEqual(told([]).reasons, [
      "FailedToCreateEndpoint Endpoints",
      "FailedToUpdateEndpointSlices Service"
    ])
  })

  it("writes Endpoints anew whose service has a label that is the controller's own", () => {
    const labelled = (labels: Readonly<Record<string, string>>): Service => {
      const service = serviceOf()
      return { ...service, metadata: { ...service.metadata, labels } }
    }
    const isCurrent = (service: Service, before = service) =>
      areCurrent(endpointsOf(before, []), endpointsOf(service, []), service)
    assert.isTrue(isCurrent(labelled({ a: "b" })))
    assert.isFalse(isCurrent(labelled({ a: "c" }), labelled({ a: "b" })))
    assert.isFalse(isCurrent(labelled({ "service.kubernetes.io/headless": "" })))
  })

  it("lists exactly the pods that there are, in slices of at most a hundred, with few writes", () => {
    const endpoint = (uid: number, ready: boolean): Endpoint => ({
      addresses: [`10.0.${uid >> 8}.${uid & 255}`],
      conditions: { ready, serving: ready, terminating: false },
      targetRef: { kind: "Pod", name: `p${uid}`, uid: String(uid) }
    })
    const step = fc.record({
      from: fc.nat(400),
      count: fc.nat(250),
      ready: fc.boolean(),
      otherPort: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let slices: ReadonlyArray<EndpointSlice> = []
        let made = 0
        for (const { count, from, otherPort, ready } of steps) {
          const endpoints = Array.from({ length: count }, (_, index) => endpoint(from + index, ready))
          const ports = [{ name: "", protocol: "TCP" as const, port: otherPort ? 81 : 80 }]
          const group = { addressType: "IPv4" as const, ports, endpoints }
          const { create, remove, update } = sliceChanges(serviceOf(), [group], slices)
          for (const slice of update)
            assert.isTrue(slices.some(({ metadata }) => metadata.name === slice.metadata.name))
          const changed = new Map(update.map((slice) => [slice.metadata.name, slice]))
          slices = [
            ...slices
              .filter((slice) => !remove.includes(slice))
              .map((slice) => changed.get(slice.metadata.name) ?? slice),
            ...create.map((slice) => ({ ...slice, metadata: { ...slice.metadata, name: `s${made++}` } }))
          ]
          const listed = slices.flatMap(({ endpoints: own = [] }) => own)
          assert.strictEqual(listed.length, count)
          const sorted = listed.toSorted((left, right) => Number(left.targetRef?.uid) - Number(right.targetRef?.uid))
          assert.deepStrictEqual(sorted, endpoints)
          for (const slice of slices) assert.isAtMost((slice.endpoints ?? []).length, 100)
          assert.isAbove(slices.length, 0)
          const again = sliceChanges(serviceOf(), [group], slices)
          assert.deepStrictEqual([again.create, again.update, again.remove].flat(), [])
        }
      }),
      { numRuns: 100 }
    )
  })
})
