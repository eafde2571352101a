import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion
} from "../../objects/CustomResourceDefinition.ts"
import { semanticEqual } from "../semanticEqual.ts"

/** The parts of a version that stand in the spec if all versions have the same. */
const sharedParts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const

type SharedPart = (typeof sharedParts)[number]

type Shared = Partial<Pick<CustomResourceDefinitionVersion, SharedPart>>

/** A spec in the internal form: the parts that all versions share, and the versions without them. */
export interface InternalSpec {
  readonly shared: Shared
  readonly versions: ReadonlyArray<CustomResourceDefinitionVersion>
}

/**
 * Returns a spec in the internal form, in which errors name `spec.validation` for a schema that all versions share.
 * Upstream: apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
export const internalSpec = (spec: CustomResourceDefinitionSpec): InternalSpec => {
  const versions = spec.versions ?? []
  const [first, ...others] = versions
  if (first === undefined) return { shared: {}, versions }
  const common = sharedParts.filter((part) => others.every((other) => semanticEqual(other[part], first[part])))
  const pick = (version: CustomResourceDefinitionVersion, isShared: boolean) =>
    Object.fromEntries(Object.entries(version).filter(([name]) => common.some((part) => part === name) === isShared))
  return {
    shared: pick(first, true) as Shared,
    versions: versions.map((version) => pick(version, false) as unknown as CustomResourceDefinitionVersion)
  }
}
