import type { Container, Pod, VolumeMount } from "@rollcall/api"
import { argvOf, environmentOf } from "../runtime/command/environment.ts"
import type { Environment } from "../runtime/command/ShellWorld.ts"

/** Returns the variables that a path names and that have no value. Upstream: ExpandContainerVolumeMounts. */
const missingIn = (path: string, environment: Environment): ReadonlyArray<string> => {
  const names = Array.from(path.matchAll(/\$\$|\$\(([^)]*)\)/g), ([, name]) => name)
  const isMissing = (name: string): boolean => !environment.has(name) || environment.get(name) === ""
  return [...new Set(names.filter((name) => name !== undefined))].filter(isMissing).toSorted()
}

const problemOf = ({ subPathExpr = "" }: VolumeMount, environment: Environment): string | undefined => {
  if (subPathExpr === "") return undefined
  const missing = missingIn(subPathExpr, environment)
  if (missing.length > 0) return `missing value for ${missing.join(", ")}`
  const [path = ""] = argvOf([subPathExpr], environment) ?? []
  if (path.startsWith("/")) return `error SubPath \`${path}\` must not be an absolute path`
  return path.split("/").includes("..") ? `unable to provision SubPath \`${path}\`: must not contain '..'` : undefined
}

/** Why no container is made of a spec, by its volume mounts; undefined if one is. Upstream: kubelet_pods.go, makeMounts. */
export const configProblemOf = (pod: Pod, container: Container): string | undefined => {
  const { volumeMounts = [] } = container
  if (!volumeMounts.some(({ subPathExpr }) => subPathExpr !== undefined)) return undefined
  const environment = environmentOf(pod, container)
  return volumeMounts.map((mount) => problemOf(mount, environment)).find((problem) => problem !== undefined)
}
