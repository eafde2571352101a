import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "../objects/CustomResourceDefinition.ts"
import { withDefaults, withFields } from "./fill.ts"

const completeNames = (names: CustomResourceDefinitionNames): CustomResourceDefinitionNames => {
  if (!names.kind) return names
  return withDefaults(names, { singular: names.kind.toLowerCase(), listKind: `${names.kind}List` })
}

const noNames = { plural: "", kind: "" } as const

const noConversion = { strategy: "None" } as const

type Conversion = NonNullable<CustomResourceDefinition["spec"]["conversion"]>
interface Webhook {
  readonly clientConfig?: { readonly service?: object }
}

const completeConversion = (conversion: Conversion): Conversion => {
  const webhook = conversion.webhook as Webhook | undefined
  const { clientConfig } = webhook ?? {}
  if (webhook === undefined || clientConfig?.service === undefined) return conversion
  const service = withDefaults<object>(clientConfig.service, { port: 443 })
  return { ...conversion, webhook: { ...webhook, clientConfig: { ...clientConfig, service } } }
}

/** Returns the versions that are missing in the status: objects are stored in one. */
const storedVersionsOf = ({ spec, status }: CustomResourceDefinition): ReadonlyArray<string> | undefined => {
  if ((status?.storedVersions ?? []).length > 0) return undefined
  const name = spec?.versions?.find(({ storage }) => storage)?.name
  return name === undefined ? undefined : [name]
}

/**
 * Sets the names that derive from the kind, the conversion strategy None, the port of a webhook, and the version in which
 * objects are stored. Upstream: apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go and ../types.go.
 */
export const defaultCustomResourceDefinition = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { conversion, group = "", names } = definition.spec ?? {}
  const spec = withFields(definition.spec ?? {}, {
    group,
    names: completeNames(names?.plural === undefined || names.kind === undefined ? { ...noNames, ...names } : names),
    conversion: completeConversion(conversion ?? noConversion)
  })
  const named = withFields(definition, { spec })
  const storedVersions = storedVersionsOf(definition)
  return storedVersions === undefined ? named : { ...named, status: { ...definition.status, storedVersions } }
}
