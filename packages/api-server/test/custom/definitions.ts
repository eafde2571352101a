import type { CustomResourceDefinition } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"

export const dialKind: AnyKind = "Dial.rollcall.example.com/v1"
export const olderKind: AnyKind = "Dial.rollcall.example.com/v1beta1"

const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 9 },
    color: { type: "string", enum: ["red", "blue"], default: "red" },
    note: { type: "string", nullable: true },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    parts: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, on: { type: "boolean", default: true } }
      }
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  }
}

export const schema = {
  type: "object",
  properties: {
    spec,
    status: { type: "object", properties: { phase: { type: "string" }, count: { type: "integer" } } }
  }
}

/** A definition of Dials, stored in v1 and served in v1beta1 too. */
export const dials = (more: object = {}, names: object = {}): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.rollcall.example.com" },
  spec: {
    group: "rollcall.example.com",
    scope: "Namespaced",
    names: { plural: "dials", singular: "dial", kind: "Dial", ...names },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.count" }
        },
        selectableFields: [{ jsonPath: ".spec.color" }]
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: schema },
        selectableFields: [{ jsonPath: ".spec.color" }]
      }
    ],
    ...more
  }
})

export const dial = (name: string, dialSpec: object = { size: 2 }, more: object = {}) => ({
  apiVersion: "rollcall.example.com/v1",
  kind: "Dial",
  metadata: { name, namespace: "default" },
  spec: dialSpec,
  ...more
})
