import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  KubeObject,
  Resource,
  Status
} from "@rollcall/api"
import { type Fields, isFields, stepsOf, valueAt } from "@rollcall/api/values"
import type { VersionConversion } from "@rollcall/field-ownership"
import { customResourcePrinter } from "@rollcall/printers"
import { asSchema, type JsonSchema, messageOf, normalise, prune } from "@rollcall/structural-schema"
import * as Result from "effect/Result"
import { compareVersions } from "../../core/registry/compareVersions.ts"
import { defineCustom } from "../../core/registry/defineCustom.ts"
import {
  type CalledConversion,
  customKind,
  type KindDefinition,
  type ViewOf
} from "../../core/registry/KindDefinition.ts"
import { validationOf } from "./resourceRules.ts"

const resourceOf = (
  { spec }: CustomResourceDefinition,
  { categories, kind, plural, shortNames, singular }: CustomResourceDefinitionNames,
  version: string
): Resource => ({
  kind,
  group: spec.group,
  version,
  plural,
  singular: singular || kind.toLowerCase(),
  shortNames: shortNames ?? [],
  namespaced: spec.scope === "Namespaced",
  ...(categories === undefined || categories.length === 0 ? {} : { categories })
})

const namesOf = ({ spec, status }: CustomResourceDefinition): CustomResourceDefinitionNames =>
  status?.acceptedNames ?? spec.names

/**
 * The stored kind: objects in the version in which they were written. It has no path of its own; the served versions
 * are views of it.
 */
export const storedKind = (definition: CustomResourceDefinition): KindDefinition =>
  defineCustom(resourceOf(definition, namesOf(definition), "__internal"), { hidden: true })

/** Converts an object to another version of its definition by a call. */
export type ConvertObject = (
  definition: CustomResourceDefinition,
  object: KubeObject,
  apiVersion: string,
  done: (result: Result.Result<KubeObject, string>) => void
) => void

type Shape = (object: KubeObject) => KubeObject

const schemaOf = ({ spec }: CustomResourceDefinition, { schema }: CustomResourceDefinitionVersion): JsonSchema => ({
  ...asSchema(schema?.openAPIV3Schema),
  ...(spec.preserveUnknownFields === true ? { "x-kubernetes-preserve-unknown-fields": true } : {})
})

/**
 * What the schema of an object's own version makes of it: a stored object is completed before it is converted; a
 * converted one is pruned, and gets no defaults. Upstream:
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter.
 */
interface Shapes {
  readonly schemas: ReadonlyMap<string, JsonSchema>
  readonly complete: Shape
  readonly pruned: Shape
}

const shapesOf = (definition: CustomResourceDefinition): Shapes => {
  const { group, versions } = definition.spec
  const schemas = new Map<string, JsonSchema>(
    versions.map((version) => [`${group}/${version.name}`, schemaOf(definition, version)] as const)
  )
  const shapedBy = (object: KubeObject, shape: typeof normalise): KubeObject => {
    const schema = schemas.get(object.apiVersion)
    return schema === undefined ? object : (shape(object as KubeObject & Fields, schema) as Fields & KubeObject)
  }
  return {
    schemas,
    complete: (object) => shapedBy(object, normalise),
    pruned: (object) => shapedBy(object, prune)
  }
}

/** Returns how objects of a version are converted by a webhook. */
const calledConversion = (
  definition: CustomResourceDefinition,
  own: string,
  stored: string,
  convert: ConvertObject,
  { complete, pruned: prunedObject, schemas }: Shapes
): CalledConversion => {
  const to: (apiVersion: string, pruned: boolean) => CalledConversion["fromStorage"] =
    (apiVersion, pruned) => (object, done) =>
      object.apiVersion === apiVersion
        ? done(Result.succeed(object))
        : convert(definition, object, apiVersion, (result) => done(pruned ? Result.map(result, prunedObject) : result))
  return {
    toStorage: to(stored, true),
    fromStorage: (object, done) => to(own, true)(complete(object), done),
    // Upstream checks such objects by their schemas unpruned.
    toVersion: (object, apiVersion, done) => to(apiVersion, false)(object, done),
    typeOf: typeOfVersion(definition, schemas)
  }
}

const typeOfVersion =
  (definition: CustomResourceDefinition, schemas: Shapes["schemas"]): VersionConversion["typeOf"] =>
  (apiVersion) => {
    const schema = schemas.get(apiVersion)
    const version = apiVersion.slice(definition.spec.group.length + 1)
    return schema && messageOf(resourceOf(definition, namesOf(definition), version), schema)
  }

/** Returns how the owners of fields at other versions see an object: unpruned, so that it may not be of their type. */
const renamedVersions = (definition: CustomResourceDefinition, { schemas }: Shapes): VersionConversion => ({
  toVersion: (object, apiVersion, done) => done(Result.succeed({ ...object, apiVersion })),
  typeOf: typeOfVersion(definition, schemas)
})

/** Returns how objects of a version are converted. Without a webhook, versions differ in their apiVersion and schemas. */
const viewOf = (
  definition: CustomResourceDefinition,
  version: string,
  complete: Shape,
  convert: ConvertObject | undefined,
  shapes: Shapes
): ViewOf => {
  const { group, versions } = definition.spec
  const stored = `${group}/${versions.find(({ storage }) => storage)?.name ?? version}`
  const own = `${group}/${version}`
  const converted = (object: KubeObject, apiVersion: string): KubeObject =>
    object.apiVersion === apiVersion ? object : shapes.pruned({ ...object, apiVersion })
  return {
    of: customKind(resourceOf(definition, namesOf(definition), "__internal")),
    toStorage: (object) => converted(object, stored),
    fromStorage: (object) => (object.apiVersion === own ? complete(object) : converted(shapes.complete(object), own)),
    ...(convert !== undefined &&
      definition.spec.conversion?.strategy === "Webhook" &&
      versions.length > 1 && { called: calledConversion(definition, own, stored, convert, shapes) })
  }
}

const selectionOf = (version: CustomResourceDefinitionVersion, namespaced: boolean) => {
  const paths = new Map(
    version.selectableFields?.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), stepsOf(jsonPath)])
  )
  return {
    selectable: ["metadata.name", ...(namespaced ? ["metadata.namespace"] : []), ...paths.keys()],
    fieldOf: (object: KubeObject, field: string): string | undefined => {
      const steps = paths.get(field)
      const value = steps && valueAt(object, steps)
      return value === undefined || value === null || isFields(value) ? undefined : String(value)
    }
  }
}

const scaleOf = ({ subresources }: CustomResourceDefinitionVersion) => {
  const scale = subresources?.scale
  if (scale === undefined) return {}
  const { labelSelectorPath, specReplicasPath, statusReplicasPath } = scale
  return {
    scale: {
      specReplicas: stepsOf(specReplicasPath),
      statusReplicas: stepsOf(statusReplicasPath),
      labelSelector: labelSelectorPath ? stepsOf(labelSelectorPath) : undefined
    }
  }
}

/** Upstream: customresource_handler.go, defaultDeprecationWarning. */
const deprecationOf = (
  { group, kind, version: name }: Resource,
  version: CustomResourceDefinitionVersion,
  versions: ReadonlyArray<CustomResourceDefinitionVersion>
) => {
  if (version.deprecated !== true) return {}
  const isNewer = (other: CustomResourceDefinitionVersion) =>
    other.served && other.deprecated !== true && compareVersions(name, other.name) > 0
  const [newest] = versions.filter(isNewer).sort((left, right) => compareVersions(left.name, right.name))
  const instead = newest === undefined ? "" : `; use ${group}/${newest.name} ${kind}`
  return { deprecation: version.deprecationWarning ?? `${group}/${name} ${kind} is deprecated${instead}` }
}

/**
 * Returns the definition of one served version. `createRefusal` returns why objects can no longer be created; `convert`
 * calls conversion webhooks.
 */
export const versionKind = (
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  createRefusal: (name: string) => Status | undefined,
  convert: ConvertObject | undefined
): KindDefinition => {
  const resource = resourceOf(definition, namesOf(definition), version.name)
  const { versions } = definition.spec
  const schema = schemaOf(definition, version)
  const { scale, status } = version.subresources ?? {}
  const rules = validationOf(resource, schema, version.subresources ?? {})
  const shapes = shapesOf(definition)
  const view = viewOf(definition, version.name, rules.defaults, convert, shapes)
  return defineCustom(resource, {
    ...rules,
    ...selectionOf(version, resource.namespaced),
    ...scaleOf(version),
    ...deprecationOf(resource, version, versions),
    createRefusal,
    subresources: [
      ...(status === undefined ? [] : ["status" as const]),
      ...(scale === undefined ? [] : ["scale" as const])
    ],
    view,
    ...(versions.length > 1 && view.called === undefined && { versions: renamedVersions(definition, shapes) }),
    printer: customResourcePrinter(version.additionalPrinterColumns),
    message: messageOf(resource, schema),
    schema: { ...schema },
    lacksDefaults: versions.length > 1,
    storageVersion: versions.find(({ served, storage }) => served && storage)?.name ?? "",
    listKind: namesOf(definition).listKind ?? `${resource.kind}List`,
    tracksGeneration: true
  })
}
