import type { Subresource } from "@rollcall/cluster"
import type { KindDefinition } from "../registry/KindDefinition.ts"
import { emptySet, type FieldSet } from "./fieldSet.ts"

const status: FieldSet = { "f:status": {} }
const spec: FieldSet = { "f:spec": {} }

/** What the status subresource of a kind puts back beside the spec. Upstream: GetResetFields of the strategies in pkg/registry. */
const beside: Readonly<Record<string, FieldSet>> = {
  Pod: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} }, ...spec },
  Deployment: { "f:metadata": { "f:labels": {} }, ...spec },
  VolumeAttachment: { "f:metadata": {}, ...spec },
  CustomResourceDefinition: { "f:metadata": {}, ...spec }
}

/** Fields that a write to this (sub)resource cannot change, so that its writer never owns them. */
export const resetFields = (definition: KindDefinition, subresource: Subresource | undefined): FieldSet => {
  if (subresource === "status") return beside[definition.resource.kind] ?? spec
  return subresource === undefined && definition.subresources.has("status") ? status : emptySet
}
