import type { Container, ContainerStatus, Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { parseEnvFile } from "../references/envFile.ts"
import { containersOf } from "../references/Reference.ts"
import type { WrittenFiles } from "../runtime/command/ContainerFiles.ts"
import { commandRunOf } from "../runtime/command/commandEnd.ts"
import { behaviourOf, behaviourText, parseBehaviour } from "../runtime/PodBehaviour.ts"

/** A variable whose value is in a file of a volume. */
interface FileKeyRef {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

/** Where the volumes of pods are, unless a kubelet has another `--root-dir`. */
const POD_FOLDER = "/var/lib/kubelet/pods"

export const hasFileVariables = ({ env = [] }: Pick<Container, "env">): boolean =>
  env.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined)

/** Whether a container that has run may have written files of which nothing is known here: its command or its end is not its own. */
const mayHaveWritten = (pod: Pod, container: Container, volumeName: string): boolean => {
  if (container.volumeMounts?.some(({ name, readOnly }) => name === volumeName && readOnly !== true) !== true)
    return false
  const behaviour = Result.getOrUndefined(parseBehaviour(behaviourText(pod) ?? "{}"))
  if (behaviourOf(behaviour, container.name)?.exitAfterSeconds !== undefined) return true
  const { end, needsContainer, runsOn } = commandRunOf(pod, container)
  return end === undefined && !needsContainer && !runsOn
}

const hasRun = ({ lastState, state }: ContainerStatus): boolean =>
  (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined

const relative = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")

/** Returns a variable's value, undefined if it is left out, or why there is none. */
const fileValueOf = (
  pod: Pod,
  { key, optional = false, path, volumeName }: FileKeyRef,
  written: WrittenFiles
): Result.Result<string | undefined, string> => {
  const isMounted = containersOf(pod.spec).some(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volumeName)
  )
  if (!isMounted) return Result.fail(`cannot find the volume ${JSON.stringify(volumeName)} referenced by FileKeyRef`)
  const file = written.get(`${volumeName}/${relative(path)}`)
  const value = file === undefined || file.isRemoved === true ? undefined : parseEnvFile(file.text, key)
  if (value === undefined || Result.isFailure(value)) return Result.fail("couldn't parse env file")
  if (value.success !== "") return Result.succeed(value.success)
  if (optional) return Result.succeed(undefined)
  const at = `${POD_FOLDER}/${pod.metadata.uid}/volumes/kubernetes.io~empty-dir/${volumeName}/${relative(path)}`
  return Result.fail(`environment variable key ${JSON.stringify(key)} not found in file ${JSON.stringify(at)}`)
}

/**
 * Returns the values of a container's variables that are in files, as commands have left these, or why one has none. If a
 * container of which nothing is known may have written the file, a variable without a value is left out. Upstream:
 * kubelet_pods.go, makeEnvironmentVariables.
 */
export const fileVariablesOf = (
  pod: Pod,
  { env = [] }: Container,
  statuses: ReadonlyArray<ContainerStatus>,
  written: WrittenFiles
): Result.Result<ReadonlyMap<string, string>, string> => {
  const values = new Map<string, string>()
  for (const { name, valueFrom } of env) {
    const reference = valueFrom?.fileKeyRef as FileKeyRef | undefined
    if (reference === undefined) continue
    const value = fileValueOf(pod, reference, written)
    if (Result.isFailure(value)) {
      const ran = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].filter((container) =>
        statuses.some((status) => status.name === container.name && hasRun(status))
      )
      if (!ran.some((container) => mayHaveWritten(pod, container, reference.volumeName)))
        return Result.fail(value.failure)
    } else if (value.success !== undefined) values.set(name, value.success)
  }
  return Result.succeed(values)
}
