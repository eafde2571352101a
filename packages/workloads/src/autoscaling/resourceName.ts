import { type CrossVersionObjectReference, kindNames, resourceOf } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { pathOf, type ReadApi, readObject } from "./apiReader.ts"

interface ResourceList {
  readonly resources?: ReadonlyArray<{ readonly name: string; readonly kind: string }>
}

/**
 * The resource of a kind with its group, `ingresses.networking.k8s.io`: of a built-in kind, or one that the server
 * discovers. Upstream: client/custom_metrics/versioned_client.go qualResourceForKind.
 */
export const resourceName = (
  read: ReadApi,
  { apiVersion = "", kind }: CrossVersionObjectReference
): Effect.Effect<string, string> => {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion]
  const suffix = group === "" ? "" : `.${group}`
  const builtIn = kindNames.map((name) => resourceOf(name)).find((one) => one.kind === kind && one.group === group)
  if (builtIn !== undefined) return Effect.succeed(`${builtIn.plural}${suffix}`)
  const groupKind = `${kind}${suffix}`
  const noMatch = `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`
  const unmapped = Effect.fail(`unable to map kind ${groupKind} to resource: ${noMatch}`)
  if (group === "" || version === "") return unmapped
  return readObject<ResourceList>(read, pathOf(["apis", group, version], {}), { resource: groupKind }).pipe(
    Effect.catch(() => Effect.succeed<ResourceList>({})),
    Effect.flatMap(({ resources = [] }) => {
      const found = resources.find((one) => one.kind === kind && !one.name.includes("/"))
      return found === undefined ? unmapped : Effect.succeed(`${found.name}${suffix}`)
    })
  )
}
