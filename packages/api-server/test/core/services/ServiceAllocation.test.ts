import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@rollcall/api"
import * as fc from "fast-check"
import { serviceAllocation } from "../../../src/core/admission/services/ServiceAllocation.ts"
import { makeTestServer, type TestServer } from "../testServer.ts"

const makeServer = (range?: string): TestServer =>
  makeTestServer({ admission: [serviceAllocation(range === undefined ? {} : { range })] })

const service = (name: string, spec: unknown = {}, namespace = "default") => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { ports: [{ port: 80 }], ...(spec as object) }
})

const messageOf = (testServer: TestServer, object: unknown): string =>
  testServer.refusalOf({ verb: "create", kind: "Service", namespace: "default", object: object as Service }).message ??
  ""

const put = (testServer: TestServer, object: unknown): Service =>
  testServer.ask({
    verb: "update",
    kind: "Service",
    namespace: "default",
    name: (object as Service).metadata.name ?? "",
    object: object as Service
  }) as Service

describe("services", () => {
  it("get no address from a PUT of a status, which creates them too", () => {
    const testServer = makeServer()
    const refusal = testServer.refusalOf({
      verb: "update",
      kind: "Service",
      namespace: "default",
      name: "a",
      subresource: "status",
      object: { ...service("a"), spec: { clusterIP: "None" } } as Service
    })
    assert.strictEqual(
      refusal.message,
      'Service "a" is invalid: [spec.ports: Required value, spec.clusterIPs: Required value]'
    )
  })

  it("get an address each, and the same one again after another is deleted", () => {
    const testServer = makeServer()
    const first = testServer.create("Service", service("a"))
    assert.deepStrictEqual(first.spec, {
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ClusterIP",
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      clusterIP: "10.96.1.1",
      clusterIPs: ["10.96.1.1"]
    })
    assert.deepStrictEqual(first.status, { loadBalancer: {} })
    assert.strictEqual(testServer.create("Service", service("b")).spec?.clusterIP, "10.96.1.2")
    testServer.ask({ verb: "delete", kind: "Service", namespace: "default", name: "a" })
    testServer.advance(60_001)
    assert.strictEqual(testServer.create("Service", service("c")).spec?.clusterIP, "10.96.1.1")
  })

  it("have no claim to the address of a service that has their name", () => {
    const testServer = makeServer()
    testServer.create("Service", service("a", { clusterIP: "10.96.1.7" }))
    assert.include(messageOf(testServer, service("a", { clusterIP: "10.96.1.7" })), "provided IP is already allocated")
    assert.strictEqual(messageOf(testServer, service("a")), 'services "a" already exists')
    assert.strictEqual(put(testServer, service("a", { clusterIP: "10.96.1.7" })).spec?.clusterIP, "10.96.1.7")
  })

  it("get an address before their name is generated, if the prefix may begin one", () => {
    const testServer = makeServer()
    const prefixed = (generateName: string) => ({ ...service(""), metadata: { generateName, namespace: "default" } })
    const made = testServer.create("Service", prefixed("latency-svc-"))
    assert.match(made.metadata.name ?? "", /^latency-svc-.{5}$/)
    assert.strictEqual(made.spec?.clusterIP, "10.96.1.1")
    assert.include(messageOf(testServer, prefixed("a/")), "spec.parentRef.name: Invalid value")
    assert.include(messageOf(testServer, prefixed("")), "spec.parentRef.name: Required value")
  })

  it("keep a requested address, if it is free and in the range", () => {
    const testServer = makeServer("10.0.0.0/24")
    assert.strictEqual(
      testServer.create("Service", service("a", { clusterIP: "10.0.0.10" })).spec?.clusterIPs?.[0],
      "10.0.0.10"
    )
    assert.strictEqual(
      messageOf(testServer, service("b", { clusterIP: "10.0.0.10" })),
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.10"]: failed to allocate IP 10.0.0.10: provided IP is already allocated'
    )
    assert.strictEqual(
      messageOf(testServer, service("b", { clusterIP: "10.1.0.1" })),
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.1.0.1"]: failed to allocate IP 10.1.0.1: the provided network does not match the current range'
    )
  })

  it("get all addresses of a small range, and no more", () => {
    const testServer = makeServer("10.0.0.0/29")
    const given = ["a", "b", "c", "d", "e", "f"].map(
      (name) => testServer.create("Service", service(name)).spec?.clusterIP ?? ""
    )
    assert.deepStrictEqual(
      given.toSorted(),
      [1, 2, 3, 4, 5, 6].map((last) => `10.0.0.${last}`)
    )
    assert.match(messageOf(testServer, service("g")), /failed to allocate a serviceIP for Service "g": range is full/)
  })

  it("have no address when they are headless or an ExternalName", () => {
    const testServer = makeServer()
    const headless = testServer.create("Service", service("a", { clusterIP: "None", selector: { app: "a" } }))
    assert.deepInclude(headless.spec, { clusterIP: "None", clusterIPs: ["None"], ipFamilies: ["IPv4"] })
    const selectorless = testServer.create("Service", service("b", { clusterIP: "None" }))
    assert.deepInclude(selectorless.spec, { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" })
    const name = testServer.create("Service", service("c", { type: "ExternalName", externalName: "db.example.com" }))
    assert.notProperty(name.spec, "clusterIP")
  })

  it("get node ports, and lose them with their type", () => {
    const testServer = makeServer()
    const ports = [
      { name: "a", port: 1 },
      { name: "b", port: 2, nodePort: 30_007 }
    ]
    const made = testServer.create("Service", service("a", { type: "NodePort", ports }))
    assert.deepStrictEqual(
      made.spec?.ports?.map(({ nodePort }) => nodePort),
      [30_086, 30_007]
    )
    assert.strictEqual(made.spec?.externalTrafficPolicy, "Cluster")
    assert.match(
      messageOf(testServer, service("b", { type: "NodePort", ports: [{ port: 1, nodePort: 30_007 }] })),
      /spec.ports\[0\].nodePort: Invalid value: 30007: provided port is already allocated$/
    )
    assert.match(
      messageOf(testServer, service("b", { type: "NodePort", ports: [{ port: 1, nodePort: 80 }] })),
      /provided port is not in the valid range. The range of valid ports is 30000-32767$/
    )
    const { externalTrafficPolicy: _, ...spec } = made.spec ?? {}
    const updated = put(testServer, { ...made, spec: { ...spec, type: "ClusterIP" } })
    assert.deepStrictEqual(
      updated.spec?.ports?.map(({ nodePort }) => nodePort),
      [undefined, undefined]
    )
  })

  it("keep allocated fields that an update omits, and refuse changes of them", () => {
    const testServer = makeServer()
    const made = testServer.create("Service", service("a", { type: "NodePort" }))
    const again = put(testServer, service("a", { type: "NodePort", selector: { app: "b" } }))
    assert.strictEqual(again.spec?.clusterIP, made.spec?.clusterIP)
    assert.deepStrictEqual(again.spec?.ports, made.spec?.ports)
    const moved = { ...again, spec: { ...again.spec, clusterIP: "10.96.9.9", clusterIPs: ["10.96.9.9"] } }
    assert.throws(
      () => put(testServer, moved),
      /spec.clusterIPs\[0\]: Invalid value: \["10.96.9.9"\]: may not change once set/
    )
  })

  it("allocate nothing in a dry run", () => {
    const testServer = makeServer()
    const request = { verb: "create", kind: "Service", namespace: "default", dryRun: true } as const
    const attempt = (spec: object) => testServer.ask({ ...request, object: service("a", spec) as Service }) as Service
    // A genuine server shows the address of the range, and ports behind the range's.
    assert.strictEqual(attempt({}).spec?.clusterIP, "10.96.0.0")
    const ports = [
      { name: "a", port: 80 },
      { name: "b", port: 81 }
    ]
    const tried = attempt({ type: "NodePort", ports })
    assert.deepStrictEqual(
      tried.spec?.ports?.map(({ nodePort }) => nodePort),
      [32769, 32770]
    )
    testServer.create("Service", service("c", { clusterIP: "10.96.0.9" }))
    assert.strictEqual(attempt({ clusterIP: "10.96.0.9" }).spec?.clusterIP, "10.96.0.9")
    assert.strictEqual(testServer.create("Service", service("b")).spec?.clusterIP, "10.96.1.1")
  })

  it("are refused for invalid fields", () => {
    const testServer = makeServer()
    assert.match(
      messageOf(testServer, service("a", { ports: [] })),
      /^Service "a" is invalid: spec.ports: Required value$/
    )
    assert.match(
      messageOf(testServer, service("a", { ports: [{ port: 1 }, { port: 1, targetPort: "x_" }] })),
      /spec.ports\[0\].name: Required value, .*spec.ports\[1\]: Duplicate value: /
    )
    assert.match(messageOf(testServer, service("A")), /metadata.name: Invalid value: "A": a lowercase RFC 1123 label/)
  })
})

describe("the ranges of services", () => {
  const range = (name: string, ...cidrs: ReadonlyArray<string>) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name },
    spec: { cidrs }
  })
  const own = "10.0.0.0/29"

  it("are those of all ServiceCIDRs that are ready, the server's own first", () => {
    const testServer = makeServer(own)
    testServer.create("ServiceCIDR", range("more", "192.0.2.0/28"))
    testServer.create("ServiceCIDR", range("kubernetes", own))
    const addresses = Array.from(
      { length: 7 },
      (_, index) => testServer.create("Service", service(`s${index}`)).spec?.clusterIP ?? ""
    )
    assert.lengthOf(
      addresses.filter((address) => address.startsWith("10.0.0.")),
      6
    )
    assert.match(addresses[6] ?? "", /^192\.0\.2\./)
    assert.strictEqual(
      testServer.create("Service", service("asked", { clusterIP: "192.0.2.9" })).spec?.clusterIP,
      "192.0.2.9"
    )
    const mismatch = "the provided network does not match the current range"
    assert.include(messageOf(testServer, service("edge", { clusterIP: "192.0.2.15" })), mismatch)
  })

  it("exclude one that is not ready, and are empty if none is", () => {
    const testServer = makeServer(own)
    const stored = testServer.create("ServiceCIDR", range("kubernetes", own))
    const conditions = [
      {
        type: "Ready",
        status: "False" as const,
        reason: "Terminating",
        message: "it has to go",
        lastTransitionTime: "2026-01-01T00:00:00Z"
      }
    ]
    testServer.ask({
      verb: "update",
      kind: "ServiceCIDR",
      name: "kubernetes",
      subresource: "status",
      object: { ...stored, status: { conditions } }
    })
    assert.include(messageOf(testServer, service("a")), "range is full")
    assert.include(messageOf(testServer, service("b", { clusterIP: "10.0.0.2" })), "does not match the current range")
  })
})

describe("allocated values", () => {
  const asked = { type: "NodePort", clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 30903 }] }
  const valuesOf = ({ spec }: Service) => [spec?.clusterIP, spec?.ports?.[0]?.nodePort]

  it("are free as soon as their service is deleted", () => {
    const testServer = makeServer()
    testServer.create("Service", service("a", asked))
    testServer.ask({ verb: "delete", kind: "Service", namespace: "default", name: "a" })
    assert.deepStrictEqual(valuesOf(testServer.create("Service", service("b", asked))), ["10.96.7.7", 30903])
  })
  it("are always the first free ones, whatever services, and objects of others, come and go", () => {
    const names = ["a", "b", "c", "d", "e"] as const
    const foreign = "10.0.0.18"
    const step = fc.record({
      name: fc.constantFrom(...names, foreign),
      what: fc.constantFrom("make", "end", "headless")
    })
    const runs = (steps: ReadonlyArray<{ name: string; what: string }>) => {
      const testServer = makeServer("10.0.0.0/27")
      const used = new Map<string, string>()
      for (const { name, what } of steps) {
        if (name === foreign) {
          const wanted = what === "make" && ![...used.values()].includes(foreign)
          if (!wanted && used.get(foreign) === foreign) {
            testServer.ask({ verb: "delete", kind: "IPAddress", name: foreign })
            used.delete(foreign)
          } else if (wanted) {
            testServer.create("IPAddress", {
              apiVersion: "networking.k8s.io/v1",
              kind: "IPAddress",
              metadata: { name: foreign },
              spec: { parentRef: { group: "x.io", resource: "gateways", name: "g" } }
            })
            used.set(foreign, foreign)
          }
        } else if (used.has(name)) {
          testServer.ask({ verb: "delete", kind: "Service", namespace: "default", name })
          used.delete(name)
        } else if (what !== "end") {
          const taken = new Set(used.values())
          // The 16 lowest ones come last.
          const first = Array.from({ length: 14 }, (_, index) => `10.0.0.${index + 17}`).find(
            (address) => !taken.has(address)
          )
          const spec = what === "make" ? {} : { clusterIP: "None" }
          const given = testServer.create("Service", service(name, spec)).spec?.clusterIP ?? ""
          assert.strictEqual(given, what === "make" ? first : "None")
          used.set(name, given)
        }
      }
    }
    fc.assert(fc.property(fc.array(step, { maxLength: 30 }), runs), { numRuns: 30 })
  })

  it("are free as soon as their service is refused", () => {
    const testServer = makeServer()
    testServer.create("Service", service("a"))
    assert.strictEqual(messageOf(testServer, service("a", asked)), 'services "a" already exists')
    assert.deepStrictEqual(valuesOf(testServer.create("Service", service("b", asked))), ["10.96.7.7", 30903])
  })
})
