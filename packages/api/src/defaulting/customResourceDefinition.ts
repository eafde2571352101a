import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "../objects/CustomResourceDefinition.ts"
import { withDefaults, withFields } from "./fill.ts"

const completeNames = (names: CustomResourceDefinitionNames): CustomResourceDefinitionNames => {
  if (!names.kind) return names
  return withDefaults(names, { singular: names.kind.toLowerCase(), listKind: `${names.kind}List` })
}

const noNames = { plural: "", kind: "" } as const

const noConversion = { strategy: "None" } as const

/**
 * Sets the names that derive from the kind, and the conversion strategy None. Upstream:
 * apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go and ../types.go.
 */
export const defaultCustomResourceDefinition = (definition: CustomResourceDefinition): CustomResourceDefinition => {
  const { conversion, group = "", names } = definition.spec ?? {}
  const spec = withFields(definition.spec ?? {}, {
    group,
    names: completeNames(names?.plural === undefined || names.kind === undefined ? { ...noNames, ...names } : names),
    conversion: conversion ?? noConversion
  })
  return withFields(definition, { spec })
}
