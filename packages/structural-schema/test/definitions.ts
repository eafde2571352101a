import type { CustomResourceDefinition } from "@rollcall/api"

/** A definition of Dials with these versions, as it is stored. */
export const dials = ({ versions }: { readonly versions: ReadonlyArray<object> }): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.rollcall.example.com" },
  spec: {
    group: "rollcall.example.com",
    scope: "Namespaced",
    names: { plural: "dials", singular: "dial", kind: "Dial", listKind: "DialList" },
    versions: versions as CustomResourceDefinition["spec"]["versions"]
  },
  status: { storedVersions: ["v1"] }
})
