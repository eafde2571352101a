import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import type { AnyKind, ApiRequest } from "@rollcall/cluster"
import { customScalePrinter } from "@rollcall/printers"
import { makeMemoryStore, Store } from "@rollcall/store"
import { makeVirtualTime } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { ApiServer } from "../../src/core/index.ts"
import { printerOfBody } from "../../src/core/registry/printers.ts"
import { customResources } from "../../src/custom/index.ts"
import { formatWarnings } from "../../src/custom/kinds/formatWarnings.ts"
import { makeTestServer, START_MS, type TestServer, testServerOf } from "../core/testServer.ts"
import { dial, dialKind, dials, olderKind } from "./definitions.ts"

interface Dial extends KubeObject {
  readonly spec: { readonly size: number; readonly color?: string; readonly [field: string]: unknown }
  readonly status?: { readonly phase?: string }
}

const define = (testServer: TestServer, definition = dials()) => {
  testServer.create("CustomResourceDefinition", definition)
  testServer.settle()
}

const keyOf = (name: string, kind: AnyKind = dialKind) => ({ kind, name, namespace: "default" })
const put = (testServer: TestServer, object: unknown, kind: AnyKind = dialKind) =>
  testServer.ask({ verb: "create", kind, namespace: "default", object }) as Dial
const read = (testServer: TestServer, name: string, kind?: AnyKind) =>
  testServer.ask({ verb: "get", ...keyOf(name, kind) }) as Dial
const merge = (testServer: TestServer, name: string, body: object, more: object = {}) =>
  testServer.ask({ verb: "patch", ...keyOf(name), patchType: "merge", body, ...more } as ApiRequest) as Dial
const definition = (testServer: TestServer, name = "dials.rollcall.example.com") =>
  testServer.get("CustomResourceDefinition", name) as CustomResourceDefinition
const conditions = (testServer: TestServer, name?: string) =>
  definition(testServer, name).status?.conditions?.map(({ reason, status, type }) => `${type}=${status} ${reason}`)

describe("a custom resource definition", () => {
  it("is served once its names are accepted", () => {
    const testServer = makeTestServer({ customResources })
    assert.strictEqual(testServer.refusalOf({ verb: "list", kind: dialKind }).code, 404)
    define(testServer)
    assert.deepStrictEqual(conditions(testServer), [
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted"
    ])
    assert.strictEqual(definition(testServer).status?.acceptedNames?.listKind, "DialList")
    const made = put(testServer, dial("a"))
    assert.deepStrictEqual(made.spec, { size: 2, color: "red" })
    assert.strictEqual(made.metadata.generation, 1)
  })

  it("is served later when its setup throws, and does not prevent others from being served", () => {
    const errors: Array<string> = []
    const testServer = makeTestServer({ customResources, handleError: (source) => void errors.push(source) })
    const { registry } = testServer.server
    const add = registry.add.bind(registry)
    let throws = 3
    registry.add = (definition, ready) => {
      if (definition.resource.kind === "Dial" && throws-- > 0) throw new Error("by hand")
      add(definition, ready)
    }
    define(testServer)
    const other = {
      ...dials({}, { plural: "wheels", singular: "wheel", kind: "Wheel", shortNames: [] }),
      metadata: { name: "wheels.rollcall.example.com" }
    }
    define(testServer, other)
    testServer.advance(1000)
    testServer.ask({ verb: "list", kind: "Wheel.rollcall.example.com/v1" as AnyKind })
    put(testServer, dial("a"))
    assert.deepStrictEqual(
      errors,
      Array.from({ length: 3 }, () => "custom resource definition")
    )
  })

  it("waits for a name that another one has, and gets it when that one is deleted", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    const rival = {
      ...dials({}, { plural: "wheels", singular: "dial", kind: "Wheel" }),
      metadata: { name: "wheels.rollcall.example.com" }
    }
    define(testServer, rival)
    const name = "wheels.rollcall.example.com"
    assert.deepStrictEqual(conditions(testServer, name), [
      "NamesAccepted=False SingularConflict",
      "Established=False NotAccepted"
    ])
    assert.strictEqual(definition(testServer, name).status?.conditions?.[0]?.message, '"dial" is already in use')
    testServer.ask({ verb: "delete", kind: "CustomResourceDefinition", name: "dials.rollcall.example.com" })
    testServer.settle()
    assert.strictEqual(conditions(testServer, name)?.[1], "Established=True InitialNamesAccepted")
  })

  const webhook = { clientConfig: { url: "https://example.com/convert" }, conversionReviewVersions: ["v1"] }

  it("is not served with several versions that only a webhook could convert", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer, dials({ conversion: { strategy: "Webhook", webhook } }))
    assert.strictEqual(conditions(testServer)?.[1], "Established=False ConversionNotSupported")
    assert.strictEqual(testServer.refusalOf({ verb: "list", kind: dialKind }).code, 404)
  })

  it("gets new names while a finalizer holds it", () => {
    const testServer = makeTestServer({ customResources })
    const name = "dials.rollcall.example.com"
    const patch = (body: object) =>
      testServer.ask({ verb: "patch", kind: "CustomResourceDefinition", name, patchType: "merge", body } as ApiRequest)
    define(testServer)
    patch({ metadata: { finalizers: ["x.io/y"] } })
    testServer.ask({ verb: "delete", kind: "CustomResourceDefinition", name })
    testServer.settle()
    patch({ spec: { names: { shortNames: ["dl"] } } })
    testServer.settle()
    assert.deepStrictEqual(definition(testServer).status?.acceptedNames?.shortNames, ["dl"])
    assert.include(conditions(testServer) ?? [], "Terminating=False InstanceDeletionCompleted")
  })

  it("is deleted after its objects, and its watches get both deletions", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, dial("a"))
    const held = put(testServer, {
      ...dial("b"),
      metadata: { name: "b", namespace: "default", finalizers: ["x.io/y"] }
    })
    const heard: Array<string> = []
    let ended = false
    testServer.connection.watch(
      { verb: "watch", kind: dialKind },
      {
        events: (batch) => {
          for (const event of batch) if (event.type === "DELETED") heard.push(event.object.metadata.name ?? "")
        },
        end: () => {
          ended = true
        }
      }
    )
    testServer.settle()
    let changes = 0
    testServer.server.registry.observe(() => changes++)
    testServer.ask({ verb: "delete", kind: "CustomResourceDefinition", name: "dials.rollcall.example.com" })
    testServer.settle()
    assert.strictEqual(changes, 1, "discovery has other verbs")
    assert.deepStrictEqual(heard, ["a"])
    assert.include(conditions(testServer) ?? [], "Terminating=True InstanceDeletionInProgress")
    assert.strictEqual(
      testServer.refusalOf({ verb: "create", kind: dialKind, namespace: "default", object: dial("c") }).message,
      `dials.rollcall.example.com "c" is forbidden: create not allowed while custom resource definition is terminating`
    )
    assert.isFalse(ended)
    merge(testServer, held.metadata.name ?? "", { metadata: { finalizers: null } })
    testServer.settle()
    assert.deepStrictEqual(heard, ["a", "b"])
    assert.isTrue(ended)
    assert.isUndefined(testServer.get("CustomResourceDefinition", "dials.rollcall.example.com"))
    define(testServer)
    assert.deepStrictEqual((testServer.ask({ verb: "list", kind: dialKind }) as { items: unknown }).items, [])
  })
})

describe("the format of a field", () => {
  it("is quoted as Go quotes it where no server knows it", () => {
    const made = dials()
    const [version] = made.spec.versions
    const schema = { openAPIV3Schema: { type: "object", format: "a\u007f<\u00e9>" } }
    const odd = { ...made, spec: { ...made.spec, versions: [{ ...version, schema }] } } as CustomResourceDefinition
    assert.deepStrictEqual(formatWarnings(odd, undefined), ['unrecognized format "a\\x7f<\u00e9>"'])
    assert.deepStrictEqual(formatWarnings(odd, odd), [])
  })
})

describe("custom resource definitions that are deleted as a collection", () => {
  const collection = { verb: "deletecollection", kind: "CustomResourceDefinition" } as const

  it("go without their objects, which are there again with the definition", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, dial("a"))
    testServer.ask(collection)
    assert.isUndefined(testServer.get("CustomResourceDefinition", "dials.rollcall.example.com"))
    testServer.settle()
    assert.strictEqual(testServer.refusalOf({ verb: "list", kind: dialKind }).code, 404)
    define(testServer)
    assert.strictEqual(read(testServer, "a").metadata.name, "a")
  })

  it("wait for finalizers of others without a condition, and their objects can still be created", () => {
    const testServer = makeTestServer({ customResources })
    const held = dials()
    define(testServer, { ...held, metadata: { ...held.metadata, finalizers: ["x.io/y"] } })
    testServer.ask(collection)
    testServer.settle()
    const { deletionGracePeriodSeconds, finalizers } = definition(testServer).metadata
    assert.deepStrictEqual([deletionGracePeriodSeconds, finalizers], [0, ["x.io/y"]])
    assert.deepStrictEqual(conditions(testServer), [
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted"
    ])
    put(testServer, dial("a"))
  })

  it("are cleaned up if they have the finalizer for that", () => {
    const testServer = makeTestServer({ customResources })
    const held = dials()
    const finalizers = ["customresourcecleanup.apiextensions.k8s.io", "x.io/y"]
    define(testServer, { ...held, metadata: { ...held.metadata, finalizers } })
    put(testServer, { ...dial("a"), metadata: { name: "a", namespace: "default", finalizers: ["x.io/y"] } })
    testServer.ask(collection)
    testServer.settle()
    assert.include(conditions(testServer) ?? [], "Terminating=True InstanceDeletionInProgress")
    assert.strictEqual(
      testServer.refusalOf({ verb: "create", kind: dialKind, namespace: "default", object: dial("c") }).code,
      403
    )
    merge(testServer, "a", { metadata: { finalizers: null } })
    testServer.settle()
    assert.include(conditions(testServer) ?? [], "Terminating=False InstanceDeletionCompleted")
    // Another finalizer holds the definition, whose objects can be created again.
    put(testServer, dial("c"))
  })
})

describe("a custom resource", () => {
  it("is one object in all versions", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, { ...dial("a"), apiVersion: "rollcall.example.com/v1beta1" }, olderKind)
    assert.strictEqual(read(testServer, "a").apiVersion, "rollcall.example.com/v1")
    const older = read(testServer, "a", olderKind)
    assert.strictEqual(older.apiVersion, "rollcall.example.com/v1beta1")
    testServer.ask({ verb: "update", ...keyOf("a", olderKind), object: { ...older, spec: { size: 5 } } })
    assert.strictEqual(read(testServer, "a").spec.size, 5)
    assert.strictEqual(read(testServer, "a").metadata.generation, 2)
  })

  it("is pruned of unspecified fields, and defaulted", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    const given = {
      size: 1,
      bogus: 1,
      note: null,
      color: null,
      parts: [{ name: "p", more: 1 }],
      free: { any: { x: 1 } }
    }
    assert.deepStrictEqual(put(testServer, dial("a", given, { other: 1 })), {
      ...read(testServer, "a"),
      spec: { size: 1, note: null, color: "red", parts: [{ name: "p", on: true }], free: { any: { x: 1 } } }
    })
    assert.notProperty(read(testServer, "a"), "other")
  })

  it("has its status as a subresource", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    assert.notProperty(put(testServer, dial("a", { size: 2 }, { status: { phase: "No" } })), "status")
    const body = { spec: { size: 9 }, status: { phase: "Ready" }, metadata: { labels: { a: "b" } } }
    const written = merge(testServer, "a", body, { subresource: "status" })
    assert.deepStrictEqual([written.spec.size, written.status?.phase, written.metadata.generation], [2, "Ready", 1])
    assert.notProperty(written.metadata, "labels")
    assert.strictEqual(
      merge(testServer, "a", { status: { phase: "Not this way" }, spec: { size: 3 } }).status?.phase,
      "Ready"
    )
    assert.strictEqual(read(testServer, "a").metadata.generation, 2)
    const relabelled = merge(testServer, "a", { metadata: { labels: { a: "b" } } })
    assert.strictEqual(relabelled.metadata.generation, 2)
  })

  it("is scaled through the paths of its definition", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, dial("a"))
    const scale = testServer.ask({ verb: "get", ...keyOf("a"), subresource: "scale" }) as Dial
    assert.deepStrictEqual([scale.kind, scale.spec], ["Scale", { replicas: 2 }])
    merge(testServer, "a", { spec: { replicas: 4 } }, { subresource: "scale" })
    assert.strictEqual(read(testServer, "a").spec.size, 4)
    const refusal = {
      verb: "patch",
      ...keyOf("a"),
      subresource: "scale",
      patchType: "merge",
      body: { spec: { replicas: 99 } }
    }
    assert.strictEqual(testServer.refusalOf(refusal as ApiRequest).code, 422)
  })

  it("shows the replicas of a scale in tables, but not zero", () => {
    const shown = (replicas: number) => {
      const scale = { kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "a" } }
      const spec = replicas === 0 ? {} : { replicas }
      return customScalePrinter.row({ ...scale, spec, status: { replicas: 1 } } as KubeObject, START_MS).cells
    }
    assert.deepStrictEqual(
      customScalePrinter.columns.map(({ name }) => name),
      ["Name", "Desired", "Available", "Age"]
    )
    assert.deepStrictEqual(
      [shown(2), shown(0)],
      [
        ["a", 2, 1, null],
        ["a", null, 1, null]
      ]
    )
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, dial("a"))
    const scale = testServer.ask({ verb: "get", ...keyOf("a"), subresource: "scale" })
    const served = testServer.server.registry.kind(dialKind)?.definition
    assert.strictEqual(served && printerOfBody(served, scale), customScalePrinter)
  })

  it("is selected by the fields of its definition, and by no others", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    put(testServer, dial("a"))
    put(testServer, dial("b", { size: 1, color: "blue" }))
    const found = testServer.ask({ verb: "list", kind: dialKind, fieldSelector: "spec.color=blue" }) as {
      items: Array<Dial>
    }
    assert.deepStrictEqual(
      found.items.map(({ metadata }) => metadata.name),
      ["b"]
    )
    assert.strictEqual(testServer.refusalOf({ verb: "list", kind: dialKind, fieldSelector: "spec.size=1" }).code, 400)
  })

  it("keeps its watches when a change of its definition does not affect its version", () => {
    const testServer = makeTestServer({ customResources })
    define(testServer)
    let ends = 0
    const sink = { events: () => undefined, end: () => ends++ }
    testServer.connection.watch({ verb: "watch", kind: dialKind }, sink)
    const now = definition(testServer)
    const [v1, older] = now.spec.versions
    const hidden = { ...now, spec: { ...now.spec, versions: [v1, { ...older, served: false }] } }
    const address = { kind: "CustomResourceDefinition", name: now.metadata.name ?? "" } as const
    testServer.ask({ verb: "update", ...address, object: hidden })
    testServer.settle()
    assert.strictEqual(ends, 0)
    assert.strictEqual(testServer.refusalOf({ verb: "list", kind: olderKind }).code, 404)
    const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }]
    const changed = { ...hidden, metadata: definition(testServer).metadata }
    const versions = [
      { ...v1, additionalPrinterColumns: columns },
      { ...older, served: false }
    ]
    testServer.ask({ verb: "update", ...address, object: { ...changed, spec: { ...changed.spec, versions } } })
    testServer.settle()
    assert.strictEqual(ends, 1)
  })

  it("is served again when the server starts, before the first request", () => {
    const time = makeVirtualTime(START_MS)
    const store = makeMemoryStore(time.timers)
    const open = () => {
      const scope = Effect.runSync(Scope.make())
      const built = time.run(
        Layer.buildWithScope(
          ApiServer.layer({ customResources }).pipe(Layer.provide(Layer.succeed(Store, store))),
          scope
        )
      )
      if (Exit.isFailure(built)) throw Cause.squash(built.cause)
      return { testServer: testServerOf(time, Context.get(built.value, ApiServer)), scope }
    }
    const first = open()
    define(first.testServer)
    const made = put(first.testServer, dial("a"))
    time.run(Scope.close(first.scope, Exit.void))
    const { testServer } = open()
    assert.deepStrictEqual(read(testServer, "a"), made)
    assert.strictEqual(merge(testServer, "a", { spec: { size: 3 } }).metadata.generation, 2)
  })
})
