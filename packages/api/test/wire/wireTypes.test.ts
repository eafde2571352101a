import { assert, describe, it } from "@effect/vitest"
import * as AST from "effect/SchemaAST"
import { kindNames, kindOf } from "../../src/index.ts"
import {
  type FieldType,
  type MessageType,
  type WireType,
  wireTypeNamed,
  wireTypeOf,
  wireTypeOfGvk,
  wireTypes
} from "../../src/wire/index.ts"

const coreType = (name: string): MessageType => {
  const message = wireTypeNamed(`io.k8s.api.core.v1.${name}`)
  assert.isDefined(message)
  return message as MessageType
}

const field = (message: MessageType, name: string): FieldType => {
  const found = message.fields.get(name)
  assert.isDefined(found, `${message.name}.${name}`)
  return found as FieldType
}

const textScalars = new Set(["string", "Time", "MicroTime", "Duration", "Quantity", "IntOrString", "bytes"])
const numberScalars = new Set(["int32", "int64", "double", "Quantity", "IntOrString"])

const fitsSchema = (ast: AST.AST, type: WireType): boolean => {
  const scalar = type.type === "scalar" ? type.scalar : ""
  if (ast._tag === "Unknown" || scalar === "any" || scalar === "RawExtension" || scalar === "FieldsV1") return true
  if (AST.isUnion(ast)) return ast.types.every((member) => AST.isNull(member) || fitsSchema(member, type))
  if (ast._tag === "String" || ast._tag === "Literal") return textScalars.has(scalar)
  if (ast._tag === "Number") return numberScalars.has(scalar)
  if (ast._tag === "Boolean") return scalar === "bool"
  if (AST.isArrays(ast)) return type.type === "list"
  return AST.isObjects(ast) && (type.type === "message" || type.type === "map")
}

/** What a Schema says that the tables do not. */
function* disagreements(ast: AST.AST, type: WireType, path: string): Iterable<string> {
  if (!fitsSchema(ast, type)) {
    yield `${path}: ${ast._tag} is no ${type.type === "scalar" ? type.scalar : type.type}`
    return
  }
  if (AST.isUnion(ast)) {
    for (const member of ast.types) if (!AST.isNull(member)) yield* disagreements(member, type, path)
  }
  if (AST.isArrays(ast) && type.type === "list") {
    for (const item of ast.rest) yield* disagreements(item, type.items, `${path}[]`)
  }
  if (!AST.isObjects(ast)) return
  if (type.type === "map") {
    for (const { type: value } of ast.indexSignatures) yield* disagreements(value, type.values, `${path}{}`)
  }
  if (type.type !== "message") return
  for (const { name, type: value } of ast.propertySignatures) {
    const at = `${path}.${String(name)}`
    const found = type.message.fields.get(String(name))
    if (found !== undefined) yield* disagreements(value, found.type, at)
    else if (type.message.gvk === undefined || (name !== "apiVersion" && name !== "kind")) yield `${at}: no such field`
  }
}

describe("wire types", () => {
  for (const kind of kindNames) {
    it(`agree with the Schema of ${kind}`, () => {
      const message = wireTypeOf(kind)
      assert.deepStrictEqual([...disagreements(kindOf(kind).schema.ast, { type: "message", message }, kind)], [])
    })
  }

  it("have unique protobuf numbers, in a message and in each struct that it embeds", () => {
    for (const message of wireTypes()) {
      const used = new Set<string>()
      for (const { embeddedIn, name, number } of message.fields.values()) {
        assert.isAbove(number, 0, `${message.name}.${name}`)
        const key = `${embeddedIn?.join(".") ?? ""}.${number}`
        assert.isFalse(used.has(key), `${message.name}.${name}`)
        used.add(key)
        if (embeddedIn !== undefined) assert.isFalse(used.has(`.${embeddedIn.join(".")}`), `${message.name}.${name}`)
      }
    }
  })

  it("have keys and merge keys that their elements have", () => {
    for (const message of wireTypes()) {
      for (const { name, patchMergeKey, type } of message.fields.values()) {
        if (type.type !== "list") continue
        const elements = type.items.type === "message" ? type.items.message : undefined
        for (const key of patchMergeKey === undefined ? type.keys : [...type.keys, patchMergeKey]) {
          assert.isTrue(elements?.fields.has(key), `${message.name}.${name} by ${key}`)
        }
      }
    }
  })

  it("describe every message and field, but for the schemas of definitions", () => {
    for (const message of wireTypes()) {
      assert.isNotEmpty(message.description ?? "", message.fullName)
      if (["JSONSchemaProps", "ExternalDocumentation", "IngressRule"].includes(message.name)) continue
      for (const { description, name } of message.fields.values()) {
        assert.isNotEmpty(description ?? "", `${message.fullName}.${name}`)
      }
    }
  })

  it("are found by group, version and kind, lists too", () => {
    assert.strictEqual(wireTypeOfGvk({ group: "", version: "v1", kind: "Node" }), wireTypeOf("Node"))
    const leases = wireTypeOfGvk({ group: "coordination.k8s.io", version: "v1", kind: "LeaseList" })
    assert.strictEqual(leases?.fullName, "io.k8s.api.coordination.v1.LeaseList")
    assert.isUndefined(wireTypeOfGvk({ group: "", version: "v1", kind: "Zork" }))
    assert.isUndefined(wireTypeOfGvk({ group: "", version: "v1", kind: "NodeSpec" }))
  })
})

describe("fields", () => {
  it("record whether Go always writes them", () => {
    const { omitEmpty, pointer, required } = field(coreType("NodeCondition"), "lastTransitionTime")
    assert.deepStrictEqual([omitEmpty, pointer, required], [false, false, false])
    assert.isTrue(field(coreType("Taint"), "timeAdded").pointer)
    const metadata = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
    assert.isTrue(metadata?.fields.get("creationTimestamp")?.omitEmpty)
    assert.deepStrictEqual(field(wireTypeOf("Node"), "status").default, {})
  })

  it("record how lists and maps merge", () => {
    const spec = coreType("PodSpec")
    const ports = field(coreType("Container"), "ports")
    assert.deepInclude(ports.type, { listType: "map", keys: ["containerPort", "protocol"] })
    assert.deepInclude(field(spec, "tolerations").type, { listType: "atomic" })
    assert.deepInclude(field(coreType("NodeSpec"), "podCIDRs").type, { listType: "set" })
    assert.deepInclude(field(spec, "nodeSelector").type, { mapType: "atomic" })
    assert.deepInclude(field(spec, "volumes"), { patchStrategy: "merge,retainKeys", patchMergeKey: "name" })
    assert.isTrue(coreType("NodeSelector").atomic)
  })

  it("record where a struct is embedded", () => {
    assert.deepInclude(field(coreType("Volume"), "emptyDir"), { number: 2, embeddedIn: [2] })
    assert.isUndefined(field(coreType("Volume"), "name").embeddedIn)
  })

  it("have enumerations and defaults", () => {
    const { default: fallback, enum: values } = field(coreType("ContainerPort"), "protocol")
    assert.deepStrictEqual([fallback, values], ["TCP", ["SCTP", "TCP", "UDP"]])
    assert.lengthOf(field(coreType("Lifecycle"), "stopSignal").enum ?? [], 65)
    assert.strictEqual(field(coreType("AzureDiskVolumeSource"), "readOnly").default, false)
    assert.strictEqual(field(coreType("LocalObjectReference"), "name").default, "")
  })
})
