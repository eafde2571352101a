import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  formatQuantity,
  type ResourceList,
  sortedEntries
} from "@rollcall/api"
import { longTime, type Writer } from "./Writer.ts"

const writeState = (out: Writer, title: string, { running, terminated, waiting }: ContainerState): void => {
  if (running !== undefined) {
    out.line(2, `${title}:`, "Running").line(3, "Started:", longTime(running.startedAt))
  } else if (terminated !== undefined) {
    const { exitCode, finishedAt, message, reason, signal, startedAt } = terminated
    out.line(2, `${title}:`, "Terminated")
    if (reason) out.line(3, "Reason:", reason)
    if (message) out.line(3, "Message:", message)
    out.line(3, "Exit Code:", exitCode ?? 0)
    if (signal) out.line(3, "Signal:", signal)
    out.line(3, "Started:", longTime(startedAt)).line(3, "Finished:", longTime(finishedAt))
  } else {
    out.line(2, `${title}:`, "Waiting")
    if (waiting?.reason) out.line(3, "Reason:", waiting.reason)
  }
}

const writeStatus = (out: Writer, { lastState, ready, restartCount, state }: ContainerStatus): void => {
  writeState(out, "State", state ?? {})
  if (lastState?.terminated !== undefined) writeState(out, "Last State", lastState)
  out.line(2, "Ready:", ready ? "True" : "False").line(2, "Restart Count:", restartCount ?? 0)
}

const writeResources = (out: Writer, title: string, resources: ResourceList | undefined): void => {
  const entries = sortedEntries(resources)
  if (entries.length > 0) out.line(2, `${title}:`)
  for (const [name, quantity] of entries) out.line(3, `${name}:`, formatQuantity(quantity))
}

const writePorts = (out: Writer, title: string, ports: ReadonlyArray<string>): void => {
  out.line(2, ports.length > 1 ? `${title}s:` : `${title}:`, ports.join(", ") || "<none>")
}

const writeWords = (out: Writer, title: string, words: ReadonlyArray<string> | undefined): void => {
  if (words === undefined || words.length === 0) return
  out.line(2, `${title}:`)
  for (const line of words.flatMap((word) => word.split("\n"))) out.line(3, line)
}

interface KeyReference {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

/** Describes the source of an environment variable. */
interface ValueSource {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string }
  readonly resourceFieldRef?: { readonly resource: string }
  readonly secretKeyRef?: KeyReference
  readonly configMapKeyRef?: KeyReference
}

type EnvVar = NonNullable<Container["env"]>[number]

const writeVariable = (out: Writer, { name, value, valueFrom }: EnvVar): void => {
  if (valueFrom === undefined) {
    for (const [index, line] of (value ?? "").split("\n").entries()) out.line(3, index === 0 ? `${name}:` : "", line)
    return
  }
  const { configMapKeyRef, fieldRef, resourceFieldRef, secretKeyRef } = valueFrom as ValueSource
  if (fieldRef !== undefined) out.line(3, `${name}:`, ` (${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`)
  else if (resourceFieldRef !== undefined) out.line(3, `${name}:`, ` (${resourceFieldRef.resource})`)
  else if (secretKeyRef !== undefined) {
    out.line(
      3,
      `${name}:`,
      `<set to the key '${secretKeyRef.key}' in secret '${secretKeyRef.name ?? ""}'>`,
      `Optional: ${secretKeyRef.optional ?? false}`
    )
  } else if (configMapKeyRef !== undefined) {
    out.line(
      3,
      `${name}:`,
      `<set to the key '${configMapKeyRef.key}' of config map '${configMapKeyRef.name ?? ""}'>`,
      `Optional: ${configMapKeyRef.optional ?? false}`
    )
  }
}

const writeMounts = (out: Writer, { volumeMounts = [] }: Container): void => {
  if (volumeMounts.length === 0) out.line(2, "Mounts:", "<none>")
  else out.line(2, "Mounts:")
  for (const { mountPath, name, readOnly, subPath } of volumeMounts.toSorted((a, b) =>
    a.mountPath < b.mountPath ? -1 : 1
  )) {
    const flags = [readOnly ? "ro" : "rw", ...(subPath ? [`path=${JSON.stringify(subPath)}`] : [])]
    out.line(3, `${mountPath} from ${name} (${flags.join(",")})`)
  }
}

/** Describes containers with their statuses. Upstream: kubectl/pkg/describe, describeContainers. */
export const writeContainers = (
  out: Writer,
  title: string,
  containers: ReadonlyArray<Container>,
  statuses: ReadonlyArray<ContainerStatus> | undefined,
  indent = ""
): void => {
  out.line(0, `${indent}${title}:`)
  const space = indent === "" ? "" : " "
  for (const container of containers) {
    const status = statuses?.find(({ name }) => name === container.name)
    const ports = container.ports ?? []
    out.line(1, `${space}${container.name}:`)
    if (status !== undefined) out.line(2, "Container ID:", status.containerID ?? "")
    out.line(2, "Image:", container.image ?? "")
    if (status !== undefined) out.line(2, "Image ID:", status.imageID ?? "")
    writePorts(
      out,
      "Port",
      ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol ?? "TCP"}`)
    )
    writePorts(
      out,
      "Host Port",
      ports.map(({ hostPort, protocol }) => `${hostPort ?? 0}/${protocol ?? "TCP"}`)
    )
    writeWords(out, "Command", container.command)
    writeWords(out, "Args", container.args)
    if (status !== undefined) writeStatus(out, status)
    writeResources(out, "Limits", container.resources?.limits)
    writeResources(out, "Requests", container.resources?.requests)
    if ((container.env ?? []).length === 0) out.line(2, "Environment:", "<none>")
    else out.line(2, "Environment:")
    for (const variable of container.env ?? []) writeVariable(out, variable)
    writeMounts(out, container)
  }
}
