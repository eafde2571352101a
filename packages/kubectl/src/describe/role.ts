import type { KubeObject } from "@rollcall/api"
import { writeHead } from "./parts.ts"
import { Writer } from "./Writer.ts"

export interface RoleObject extends KubeObject {
  readonly rules?: ReadonlyArray<{
    readonly apiGroups?: ReadonlyArray<string>
    readonly resources?: ReadonlyArray<string>
    readonly resourceNames?: ReadonlyArray<string>
    readonly nonResourceURLs?: ReadonlyArray<string>
    readonly verbs?: ReadonlyArray<string>
  }> | null
}

/** The verbs on one resource or on URL paths. */
interface Right {
  readonly resource: string
  readonly paths: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

const rightsOf = ({ rules }: RoleObject): ReadonlyArray<Right> => {
  const rights = (rules ?? []).flatMap(
    ({ apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs = [] }) => [
      ...apiGroups.flatMap((group) =>
        resources.map(
          (resource): Right => ({
            resource: group === "" ? resource : `${resource}.${group}`,
            paths: [],
            names: resourceNames,
            verbs
          })
        )
      ),
      ...(nonResourceURLs.length > 0 ? [{ resource: "", paths: nonResourceURLs, names: [], verbs }] : [])
    ]
  )
  const merged = new Map<string, Right>()
  for (const right of rights) {
    const key = JSON.stringify([right.resource, right.paths, right.names])
    const known = merged.get(key)
    merged.set(key, known === undefined ? right : { ...known, verbs: [...known.verbs, ...right.verbs] })
  }
  return [...merged.values()].toSorted((left, right) =>
    left.resource < right.resource ? -1 : left.resource > right.resource ? 1 : 0
  )
}

const listText = (items: ReadonlyArray<string>): string => `[${items.join(" ")}]`

/** Describes Roles and ClusterRoles. Upstream: kubectl/pkg/describe/describe.go, RoleDescriber. */
export const describeRole = (role: RoleObject): string => {
  const out = new Writer()
  writeHead(out, role, { namespaced: false })
  out.line(0, "PolicyRule:")
  out.line(1, "Resources", "Non-Resource URLs", "Resource Names", "Verbs")
  out.line(1, "---------", "-----------------", "--------------", "-----")
  for (const { names, paths, resource, verbs } of rightsOf(role)) {
    out.line(1, resource, listText(paths), listText(names), listText(verbs))
  }
  return out.text
}
