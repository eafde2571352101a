import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { decodeValue, wireTypeOf } from "@rollcall/api/wire"
import { runAllSteps } from "@rollcall/time"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { FieldOwnership } from "../src/index.ts"

const definition = (kind: string, group: string, version: string) => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  resource: { group, kind, version },
  subresources: new Set(["status"])
})
const kinds = {
  Pod: definition("Pod", "", "v1"),
  Service: definition("Service", "", "v1"),
  PriorityClass: definition("PriorityClass", "scheduling.k8s.io", "v1"),
  NetworkPolicy: definition("NetworkPolicy", "networking.k8s.io", "v1")
}
type Kind = keyof typeof kinds

/** A value that may be absent, or the zero value that Go always writes, omits, or tells apart from nil. */
const orZero = <A>(...values: ReadonlyArray<A>) => fc.constantFrom(undefined, null, ...values)
const entries = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("", "1", "2"), { maxKeys: 2 })
const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 })

const containers = fc.array(
  fc.record({
    name: fc.constantFrom("x", "y"),
    image: orZero("", "i:1", "i:2"),
    args: orZero([], ["-a"], ["-b"]),
    ports: orZero([], [{ containerPort: 1 }], [{ containerPort: 1, protocol: "UDP" }], [{ containerPort: 2 }]),
    resources: orZero({}, { limits: {} }, { limits: { cpu: "1" } }, { limits: { cpu: "2" } }),
    tty: orZero(false, true),
    securityContext: orZero({}, { runAsUser: 0 }, { runAsUser: 1 })
  }),
  { maxLength: 2 }
)

const metadata = fc.record({
  name: fc.constantFrom("p", "q"),
  labels: entries,
  finalizers: names,
  ownerReferences: orZero([], [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }]),
  creationTimestamp: orZero("2026-01-01T00:00:00Z")
})

const pods = fc.record({
  metadata,
  spec: fc.record({
    containers,
    nodeSelector: entries,
    hostNetwork: orZero(false, true),
    priority: orZero(0, 1),
    affinity: orZero({}, { nodeAffinity: {} }),
    volumes: orZero([], [{ name: "v", emptyDir: {} }], [{ name: "v", emptyDir: { medium: "Memory" } }])
  })
})

const services = fc.record({
  metadata,
  spec: fc.record({ selector: entries, clusterIP: orZero("", "None", "1.1.1.1"), ports: orZero([], [{ port: 1 }]) }),
  status: orZero({}, { loadBalancer: {} }, { loadBalancer: { ingress: [] } })
})

const classes = fc.record({ metadata, value: orZero(0, 1, 2), description: orZero("", "d") })

const policies = fc.record({
  metadata,
  spec: fc.record({
    podSelector: orZero({}, { matchLabels: {} }, { matchLabels: { a: "1" } }, { matchLabels: { a: "2" } }),
    policyTypes: orZero([], ["Ingress"], ["Egress"])
  })
})

const asDecoded = (kind: Kind, fields: object): KubeObject => {
  const given = JSON.parse(JSON.stringify({ apiVersion: kinds[kind].apiVersion, kind, ...fields }))
  return Result.getOrThrow(decodeValue(wireTypeOf(kind), given)).value as KubeObject
}

const assertSame = (kind: Kind, all: ReadonlyArray<object>) => {
  const remembering = new FieldOwnership(() => 0)
  for (const [index, fields] of all.entries()) {
    const write = { definition: kinds[kind], subresource: undefined, manager: `m${index % 2}` }
    const object = asDecoded(kind, fields)
    const expected = runAllSteps(new FieldOwnership(() => 0).createdInSteps(write, object))
    assert.deepStrictEqual(runAllSteps(remembering.createdInSteps(write, object)), expected)
  }
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the values with one of those of `other`, at any depth: the drawn numbers choose the way down. */
const withOne = (values: unknown, other: unknown, way: ReadonlyArray<number>): unknown => {
  const [turn = 0, ...rest] = way
  if (Array.isArray(values) && Array.isArray(other) && values.length > 0 && other.length > 0)
    return [withOne(values[0], other[0], rest), ...values.slice(1)]
  if (!isFields(values) || !isFields(other) || way.length === 0) return other
  const names = Object.keys(other)
  const name = names[turn % Math.max(names.length, 1)]
  return name === undefined ? other : { ...values, [name]: withOne(values[name], other[name], rest) }
}

const ways = fc.array(fc.nat(11), { minLength: 2, maxLength: 5 })

const created = (ownership: FieldOwnership, name: string, manager = "m") => {
  const object = asDecoded("Pod", { metadata: { name }, spec: { containers: [{ name: "c", image: name }] } })
  return runAllSteps(ownership.createdInSteps({ definition: kinds.Pod, subresource: undefined, manager }, object))
}

describe("the owners of a new object", () => {
  it("are those that the object has without earlier ones", () => {
    const law = (kind: Kind, objects: fc.Arbitrary<object>) =>
      fc.property(objects, objects, ways, (first, second, way) =>
        assertSame(kind, [first, withOne(first, second, way) as object, second])
      )
    fc.assert(law("Pod", pods), { numRuns: 1500 })
    fc.assert(law("Service", services), { numRuns: 500 })
    fc.assert(law("PriorityClass", classes), { numRuns: 200 })
    fc.assert(law("NetworkPolicy", policies), { numRuns: 200 })
  })

  it("are shared with an earlier object of the same shape", () => {
    const ownership = new FieldOwnership(() => 0)
    const [first, second, third] = [created(ownership, "p"), created(ownership, "q"), created(ownership, "r", "n")]
    assert.strictEqual(second.metadata.managedFields, first.metadata.managedFields)
    assert.strictEqual(third.metadata.managedFields?.[0]?.fieldsV1, first.metadata.managedFields?.[0]?.fieldsV1)
    assert.strictEqual(third.metadata.managedFields?.[0]?.manager, "n")
  })
})
