import type { FieldType, MessageType, Scalar, WireType } from "../../src/wire/WireType.ts"

/** Small hand-made wire types with every shape that the generated tables have. */

export const scalar = (name: Scalar): WireType => ({ type: "scalar", scalar: name })
export const list = (items: WireType): WireType => ({ type: "list", items, listType: "atomic", keys: [] })
export const map = (values: WireType): WireType => ({ type: "map", values, mapType: "granular" })
export const messageType = (message: MessageType): WireType => ({ type: "message", message })

const field = (name: string, number: number, type: WireType): FieldType => ({
  name,
  number,
  type,
  required: false,
  omitEmpty: true,
  pointer: false
})

export const message = (
  name: string,
  fields: Readonly<Record<string, WireType>>,
  more: Partial<MessageType> = {}
): MessageType => ({
  fullName: `io.k8s.api.core.v1.${name}`,
  name,
  goPackage: "v1",
  atomic: false,
  fields: new Map(Object.entries(fields).map(([key, type], index) => [key, field(key, index + 1, type)])),
  ...more
})

const ObjectMeta = message("ObjectMeta", {
  name: scalar("string"),
  labels: map(scalar("string")),
  creationTimestamp: scalar("Time"),
  generation: scalar("int64")
})

const Port = message("ContainerPort", { containerPort: scalar("int32") })

const Container = message("Container", {
  name: scalar("string"),
  ports: list(messageType(Port)),
  limits: map(scalar("Quantity")),
  probe: scalar("IntOrString")
})

const PodSpec = message("PodSpec", {
  containers: list(messageType(Container)),
  args: list(scalar("string")),
  data: scalar("bytes"),
  ratio: scalar("double"),
  enabled: scalar("bool"),
  renewTime: scalar("MicroTime"),
  period: scalar("Duration"),
  raw: scalar("RawExtension"),
  free: scalar("any")
})

export const Pod: MessageType = message(
  "Pod",
  { metadata: messageType(ObjectMeta), spec: messageType(PodSpec) },
  { gvk: { group: "", version: "v1", kind: "Pod" } }
)

const specWithoutText = (field: FieldType): FieldType => ({
  ...field,
  type: messageType({ ...PodSpec, fields: new Map([...PodSpec.fields].filter(([name]) => name !== "raw")) })
})

/** A pod no part of which is kept as text. */
export const PodWithoutText: MessageType = {
  ...Pod,
  fields: new Map([...Pod.fields].map(([name, field]) => [name, name === "spec" ? specWithoutText(field) : field]))
}

const alwaysWritten = (type: MessageType, ...names: ReadonlyArray<string>): MessageType => ({
  ...type,
  fields: new Map(
    [...type.fields].map(([name, each]) => [name, names.includes(name) ? { ...each, omitEmpty: false } : each])
  )
})

/** A type with fields that Go always writes. */
export const WithWrittenFields = alwaysWritten(
  message("Written", {
    name: scalar("string"),
    count: scalar("int32"),
    inner: messageType(
      alwaysWritten(message("Inner", { port: scalar("int32"), items: list(scalar("string")) }), "port", "items")
    )
  }),
  "name",
  "inner"
)
