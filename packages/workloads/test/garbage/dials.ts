import type { CustomResourceDefinition } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"

export const dialKind: AnyKind = "Dial.rollcall.example.com/v1"

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }

/** A definition of Dials, stored in v1 and served in v1beta1 too. */
export const dials = (): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.rollcall.example.com" },
  spec: {
    group: "rollcall.example.com",
    scope: "Namespaced",
    names: { plural: "dials", singular: "dial", kind: "Dial" },
    versions: [
      { name: "v1", served: true, storage: true, schema },
      { name: "v1beta1", served: true, storage: false, schema }
    ]
  }
})

export const dial = (name: string) => ({
  apiVersion: "rollcall.example.com/v1",
  kind: "Dial",
  metadata: { name, namespace: "default" },
  spec: { size: 2 }
})
