import { isKindName, type KubeObject, resourceOf } from "@rollcall/api"
import type { KindDefinition } from "./KindDefinition.ts"

/**
 * The group and kind of which an Invalid error speaks. Of Events it is the core group in either group, since validation
 * reads the internal object. Upstream: apiserver/pkg/registry/rest objectMetaAndKind.
 */
export const errorKindOf = ({ resource, view }: KindDefinition, { kind }: KubeObject) => ({
  group: view !== undefined && isKindName(view.of) ? resourceOf(view.of).group : resource.group,
  kind
})
