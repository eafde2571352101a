import type { CustomResourceDefinition, EndpointSlice, Service } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** Kinds that the node model does not look into. Upstream: pkg/registry, one directory a kind. */

/** Roles and bindings can be put where there are none, as bootstrapping and `kubectl auth reconcile` do. */
export const rbac = { allowCreateOnUpdate: true } as const

export const services: KindOptions<Service> = {
  directory: "services/specs",
  subresources: ["status"],
  allowCreateOnUpdate: true,
  initialStatus: { loadBalancer: {} },
  fieldOf: ({ spec }, field) => {
    if (field === "spec.clusterIP") return spec?.clusterIP ?? ""
    return field === "spec.type" ? spec?.type : undefined
  }
}

export const endpoints = { directory: "services/endpoints", allowCreateOnUpdate: true } as const

export const endpointSlices: KindOptions<EndpointSlice> = {
  tracksGeneration: true,
  strategy: {
    movesGeneration: (slice, stored) =>
      slice.endpoints !== stored.endpoints || slice.ports !== stored.ports || slice.addressType !== stored.addressType
  }
}

const storageVersions = ({ spec }: CustomResourceDefinition): ReadonlyArray<string> =>
  spec.versions.filter(({ storage }) => storage).map(({ name }) => name)

const noNames = { kind: "", plural: "" }

/** A version that objects were ever stored in is remembered. Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition. */
export const customResourceDefinitions: KindOptions<CustomResourceDefinition> = {
  directory: "apiextensions.k8s.io/customresourcedefinitions",
  subresources: ["status"],
  allowUnconditionalUpdate: false,
  tracksGeneration: true,
  strategy: {
    prepareForCreate: (definition) => ({
      ...definition,
      status: { conditions: null, acceptedNames: noNames, storedVersions: storageVersions(definition) }
    }),
    prepareForUpdate: (definition) => {
      const stored = definition.status?.storedVersions ?? []
      const added = storageVersions(definition).filter((version) => !stored.includes(version))
      if (added.length === 0) return definition
      return { ...definition, status: { ...definition.status, storedVersions: [...stored, ...added] } }
    }
  }
}
