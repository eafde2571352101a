import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  KubeObject,
  Resource,
  Status
} from "@rollcall/api"
import { type Fields, isFields, stepsOf, valueAt } from "@rollcall/api/values"
import { customResourcePrinter } from "@rollcall/printers"
import { asSchema, type JsonSchema, messageOf, normalise, prune } from "@rollcall/structural-schema"
import * as Result from "effect/Result"
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

const withApiVersion = (object: KubeObject, apiVersion: string): KubeObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion }

/** Converts an object to another version of its definition by a call. */
export type ConvertObject = (
  definition: CustomResourceDefinition,
  object: KubeObject,
  apiVersion: string,
  done: (result: Result.Result<KubeObject, string>) => void
) => void

type Shape = (object: KubeObject) => KubeObject

/**
 * Returns how objects of a version are converted by a webhook. A stored object is first completed by the schema of its
 * own version; a converted one is pruned by that of the wanted version, and gets no defaults. Upstream:
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go, crdConversionRESTOptionsGetter.
 */
const calledConversion = (
  definition: CustomResourceDefinition,
  own: string,
  stored: string,
  convert: ConvertObject
): CalledConversion => {
  const { group, versions } = definition.spec
  const schemas = new Map<string, JsonSchema>(
    versions.map(({ name, schema }) => [`${group}/${name}`, asSchema(schema?.openAPIV3Schema)] as const)
  )
  const shapedBy = (object: KubeObject, shape: typeof normalise): KubeObject => {
    const schema = schemas.get(object.apiVersion)
    return schema === undefined ? object : (shape(object as KubeObject & Fields, schema) as Fields & KubeObject)
  }
  const complete: Shape = (object) => shapedBy(object, normalise)
  const to: (apiVersion: string, pruned: boolean) => CalledConversion["fromStorage"] =
    (apiVersion, pruned) => (object, done) =>
      object.apiVersion === apiVersion
        ? done(Result.succeed(object))
        : convert(definition, object, apiVersion, (result) =>
            done(pruned ? Result.map(result, (made) => shapedBy(made, prune)) : result)
          )
  return {
    toStorage: to(stored, true),
    fromStorage: (object, done) => to(own, true)(complete(object), done),
    // Upstream checks such objects by their schemas unpruned.
    toVersion: (object, apiVersion, done) => to(apiVersion, false)(object, done),
    typeOf: (apiVersion) => {
      const schema = schemas.get(apiVersion)
      const version = apiVersion.slice(group.length + 1)
      return schema && messageOf(resourceOf(definition, namesOf(definition), version), schema)
    }
  }
}

/**
 * Returns how objects of a version are converted: versions differ in their apiVersion, and an object that is read has
 * the fields and defaults of the version's schema, whichever version it was written in.
 */
const viewOf = (
  definition: CustomResourceDefinition,
  version: string,
  complete: Shape,
  convert: ConvertObject | undefined
): ViewOf => {
  const { group, versions } = definition.spec
  const stored = `${group}/${versions.find(({ storage }) => storage)?.name ?? version}`
  const own = `${group}/${version}`
  return {
    of: customKind(resourceOf(definition, namesOf(definition), "__internal")),
    toStorage: (object) => withApiVersion(object, stored),
    fromStorage: (object) => complete(withApiVersion(object, own)),
    ...(convert !== undefined &&
      definition.spec.conversion?.strategy === "Webhook" &&
      versions.length > 1 && { called: calledConversion(definition, own, stored, convert) })
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

const deprecationOf = (resource: Resource, version: CustomResourceDefinitionVersion) => {
  if (version.deprecated !== true) return {}
  const { group, kind, version: name } = resource
  return { deprecation: version.deprecationWarning ?? `${group}/${name} ${kind} is deprecated` }
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
  const given = version.schema?.openAPIV3Schema
  const keepsAll = definition.spec.preserveUnknownFields === true
  const schema: JsonSchema = {
    ...asSchema(given),
    ...(keepsAll ? { "x-kubernetes-preserve-unknown-fields": true } : {})
  }
  const { scale, status } = version.subresources ?? {}
  const rules = validationOf(resource, schema, version.subresources ?? {})
  return defineCustom(resource, {
    ...rules,
    ...selectionOf(version, resource.namespaced),
    ...scaleOf(version),
    ...deprecationOf(resource, version),
    createRefusal,
    subresources: [
      ...(status === undefined ? [] : ["status" as const]),
      ...(scale === undefined ? [] : ["scale" as const])
    ],
    view: viewOf(definition, version.name, rules.defaults, convert),
    printer: customResourcePrinter(version.additionalPrinterColumns),
    message: messageOf(resource, schema),
    schema: { ...schema },
    storageVersion: definition.spec.versions.find(({ storage }) => storage)?.name ?? version.name,
    listKind: namesOf(definition).listKind ?? `${resource.kind}List`,
    tracksGeneration: true
  })
}
