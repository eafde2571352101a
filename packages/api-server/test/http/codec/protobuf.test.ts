import { assert, describe, it } from "@effect/vitest"
import { type MessageType, wireTypeOfGvk, wireTypes } from "@rollcall/api/wire"
import { openEnvelope } from "@rollcall/protobuf"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { decodeBody } from "../../../src/http/codec/decodeBody.ts"
import { encodeBody, encodeWatchFrame } from "../../../src/http/codec/encodeBody.ts"
import { PROTOBUF_TYPE } from "../../../src/http/request/mediaTypes.ts"
import { arbitraryOfMessage } from "./arbitrary.ts"
import { withoutZeros } from "./goZeros.ts"
import { kubectlBodies } from "./kubectlBodies.ts"

type Gvk = NonNullable<MessageType["gvk"]>

const decode = (bytes: Uint8Array, gvk: Gvk, type: MessageType) =>
  decodeBody({ contentType: PROTOBUF_TYPE, bytes, expected: { ...gvk, type }, fieldValidation: "Strict" })

const typeOf = (group: string, kind: string): MessageType => {
  const type = wireTypeOfGvk({ group, version: "v1", kind })
  if (type === undefined) throw new Error(kind)
  return type
}

const apiVersionOf = ({ group, version }: Gvk) => (group === "" ? version : `${group}/${version}`)

const encode = (object: unknown): Uint8Array => {
  const bytes = encodeBody(PROTOBUF_TYPE, object)
  if (!(bytes instanceof Uint8Array)) throw new Error("no protobuf form")
  return bytes
}

describe("requests of kubectl", () => {
  const read = (command: string, group: string, kind: string) => {
    const bytes = Buffer.from(kubectlBodies[command] ?? "", "base64")
    const type = typeOf(group, kind)
    return Result.getOrThrow(decode(bytes, { group, version: "v1", kind }, type)).object
  }

  it("create deployment", () => {
    assert.deepStrictEqual(read("create deployment web --image=nginx --replicas=3 --port=80", "apps", "Deployment"), {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "nginx", image: "nginx", ports: [{ containerPort: 80 }], resources: {} }] }
        },
        strategy: {}
      },
      status: {}
    })
  })

  it("create secret, pdb and service", () => {
    assert.deepStrictEqual(read("create secret generic s --from-literal=p=q", "", "Secret").data, { p: "cQ==" })
    const pdb = read("create pdb p --selector=a=b --max-unavailable=50%", "policy", "PodDisruptionBudget")
    assert.deepStrictEqual(pdb.spec, { maxUnavailable: "50%", selector: { matchLabels: { a: "b" } } })
    const service = read("create service clusterip s --tcp=80:8080", "", "Service")
    assert.deepInclude(service.spec, { ports: [{ name: "80-8080", protocol: "TCP", port: 80, targetPort: 8080 }] })
  })

  it("auth can-i", () => {
    const review = read("auth can-i create pods", "authorization.k8s.io", "SelfSubjectAccessReview")
    assert.deepStrictEqual(review.spec, {
      resourceAttributes: { namespace: "default", verb: "create", resource: "pods" }
    })
  })

  it("are written with the same length and meaning", () => {
    const bytes = Buffer.from(kubectlBodies["create role r --verb=get --resource=pods"] ?? "", "base64")
    const gvk = { group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" }
    const role = Result.getOrThrow(decode(bytes, gvk, typeOf(gvk.group, gvk.kind))).object
    const again = Result.getOrThrow(decode(encode(role), gvk, typeOf(gvk.group, gvk.kind))).object
    assert.deepStrictEqual(again, role)
  })
})

describe("every kind", () => {
  const kinds = [...wireTypes()].filter((type) => type.gvk !== undefined)

  it("is unchanged by encoding and decoding", () => {
    assert.isAbove(kinds.length, 20)
    for (const type of kinds) {
      const gvk = type.gvk as Gvk
      fc.assert(
        fc.property(arbitraryOfMessage(type, 3), (fields) => {
          const object = { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...fields }
          const back = Result.getOrThrow(decode(encode(object), gvk, type)).object
          assert.deepEqual(back, withoutZeros(type, object))
        }),
        { numRuns: 20 }
      )
    }
  })

  it("returns an object or a Status for any bytes, and never throws", () => {
    const answers = (bytes: Uint8Array, type: MessageType) => {
      const result = decode(bytes, type.gvk as Gvk, type)
      if (Result.isFailure(result)) assert.strictEqual(result.failure.code, 400)
    }
    const mutation = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat({ max: 3 }))
    for (const type of kinds) {
      const gvk = type.gvk as Gvk
      fc.assert(
        fc.property(
          arbitraryOfMessage(type, 3),
          fc.array(mutation, { minLength: 1, maxLength: 4 }),
          (fields, mutations) => {
            let bytes = encode({ kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...fields })
            for (const [at, value, cut] of mutations) {
              bytes = Uint8Array.from(bytes)
              bytes[at % bytes.length] = value
              if (cut === 0) bytes = bytes.slice(0, at % bytes.length)
            }
            answers(bytes, type)
          }
        ),
        { numRuns: 15 }
      )
    }
    const head = Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x12])])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const pod = typeOf("", "Pod")
        answers(noise, pod)
        answers(Buffer.concat([head, Buffer.from([noise.length]), noise]), pod)
      }),
      { numRuns: 500 }
    )
  })
})

describe("refusals", () => {
  const pod = typeOf("", "Pod")
  const gvk = { group: "", version: "v1", kind: "Pod" }
  const message = (bytes: Uint8Array) => {
    const result = decode(bytes, gvk, pod)
    return Result.isFailure(result) ? result.failure.message : "none"
  }

  it("report why the bytes are not a message", () => {
    const start = "the object provided is unrecognized (must be of type Pod): "
    assert.strictEqual(message(new Uint8Array()), `${start}empty data (<empty>)`)
    assert.strictEqual(message(Buffer.from("k8s\0")), `${start}empty body (6b387300)`)
    assert.strictEqual(
      message(Buffer.from("{}")),
      `${start}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})`
    )
  })

  it("report another kind than the expected one", () => {
    assert.strictEqual(
      message(encode({ kind: "Node", apiVersion: "v1" })),
      'Node in version "v1" cannot be handled as a Pod: converting (v1.Node) to (core.Pod): unknown conversion'
    )
  })

  it("have schemas, or what stands in their place, in one field of a message each", () => {
    const type = wireTypeOfGvk({ group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" })
    assert.isDefined(type)
    if (type?.gvk === undefined) return
    const openAPIV3Schema = {
      default: [1, null],
      enum: ["a", true],
      items: { type: "string" },
      properties: {
        a: { additionalProperties: { type: "string" }, additionalItems: true },
        b: { additionalProperties: false, items: [{ type: "string" }, {}] }
      },
      dependencies: { c: ["d", "e"], f: { type: "string" } }
    }
    const spec = { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] }
    const object = { kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1", spec }
    const bytes = encode(object)
    assert.deepNestedInclude(Result.getOrThrow(decode(bytes, type.gvk, type)), {
      "object.spec.versions": spec.versions
    })
    // As Go writes a schema that is a map of texts: allows is true, and the schema is beside it.
    const schema = Buffer.from([0x08, 0x01, 0x12, 0x08, 0x2a, 0x06, ...Buffer.from("string")])
    assert.isTrue(Buffer.from(bytes).includes(schema))
  })

  it("limit the nesting", () => {
    // A JSON schema within a schema within a schema, a thousand deep.
    let schema: Record<string, unknown> = {}
    for (let depth = 0; depth < 1000; depth++) schema = { not: schema }
    const type = wireTypeOfGvk({ group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" })
    assert.isDefined(type)
    if (type?.gvk === undefined) return
    const object = {
      kind: "CustomResourceDefinition",
      apiVersion: "apiextensions.k8s.io/v1",
      spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] }
    }
    const result = decode(encode(object), type.gvk, type)
    assert.isTrue(Result.isFailure(result))
  })
})

describe("envelopes", () => {
  it("name the kind", () => {
    const envelope = Result.getOrThrow(
      openEnvelope(encode({ kind: "Node", apiVersion: "v1", metadata: { name: "a" } }))
    )
    assert.deepInclude(envelope, { kind: "Node", apiVersion: "v1" })
  })

  it("do not exist for kinds without a protobuf form", () => {
    assert.isUndefined(encodeBody(PROTOBUF_TYPE, { kind: "Dial", apiVersion: "rollcall.example.com/v1" }))
  })

  it("are in the frames of a watch", () => {
    const object = { kind: "Node", apiVersion: "v1", metadata: { name: "a" } }
    const frame = encodeWatchFrame("ADDED", object)
    assert.isTrue(frame instanceof Uint8Array)
    if (!(frame instanceof Uint8Array)) return
    assert.strictEqual(Buffer.from(frame).readUInt32BE(0), frame.length - 4)
    const body = Buffer.from(frame.subarray(4))
    assert.strictEqual(body.subarray(0, 7).toString(), "\n\x05ADDED")
    const magic = body.indexOf("k8s\0")
    const decoded = decode(body.subarray(magic), { group: "", version: "v1", kind: "Node" }, typeOf("", "Node"))
    assert.deepInclude(Result.getOrThrow(decoded).object.metadata, { name: "a" })
  })
})
