import { isKindName, type KubeObject, resourceOf } from "@rollcall/api"
import { isCustom, type KindDefinition } from "./KindDefinition.ts"

/**
 * The group and kind of which an Invalid error speaks. Of Events it is the core group in either group, since validation
 * reads the internal object; of custom resources, whatever the object names. Upstream: apiserver/pkg/registry/rest
 * objectMetaAndKind.
 */
export const errorKindOf = (definition: KindDefinition, { apiVersion, kind }: KubeObject) => {
  const { resource, view } = definition
  if (isCustom(definition)) return { group: apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/"))), kind }
  return { group: view !== undefined && isKindName(view.of) ? resourceOf(view.of).group : resource.group, kind }
}
