import type { KubeObject } from "@rollcall/api"
import { holdsEmpties, withoutEmpties } from "@rollcall/api/wire"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/**
 * Returns a valid object as it is read back from the store: without the lists and maps that the client gave as empty, for
 * which defaults are then set.
 */
export const asStored = ({ defaults }: KindDefinition, object: KubeObject): KubeObject =>
  holdsEmpties(object) ? defaults(withoutEmpties(object)) : object
