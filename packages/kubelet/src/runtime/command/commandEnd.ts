import type { Container, Pod } from "@rollcall/api"
import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import type { ProbeOutcome, ProbeOutcomes } from "../ProbeOutcomes.ts"
import { type Environment, programEnd } from "./ShellRun.ts"

const keyedField = /^metadata\.(labels|annotations)\['(.+)'\]$/

/** Returns the value of a field of the pod for a variable; undefined for a field that is not known at the start. */
const fieldOf = ({ metadata, spec }: Pod, path: string): string | undefined => {
  const [, map, key = ""] = keyedField.exec(path) ?? []
  if (map === "labels") return metadata.labels?.[key] ?? ""
  if (map === "annotations") return metadata.annotations?.[key] ?? ""
  if (path === "metadata.name") return metadata.name
  if (path === "metadata.namespace") return metadata.namespace
  if (path === "metadata.uid") return metadata.uid
  return path === "spec.nodeName" ? spec.nodeName : undefined
}

/** What variables may add to a text. More counts as unknown: they refer to each other, and can double each time. */
const MAX_ADDED = 64 * 1024

/** Replaces `$(NAME)` by the variable's value. Upstream: third_party/forked/golang/expansion/expand.go. */
const expand = (text: string, environment: Environment): string | undefined => {
  let isKnown = true
  let added = 0
  const expanded = text.replace(/\$\$|\$\(([^)]*)\)/g, (reference, name: string | undefined) => {
    if (name === undefined) return "$"
    if (!environment.has(name)) return reference
    const value = environment.get(name)
    added += value?.length ?? 0
    isKnown &&= value !== undefined && added <= MAX_ADDED
    return isKnown ? (value ?? "") : ""
  })
  return isKnown ? expanded : undefined
}

const environmentOf = (pod: Pod, { env = [] }: Container): Environment => {
  const environment = new Map<string, string | undefined>()
  for (const { name, value, valueFrom } of env) {
    const { fieldRef } = (valueFrom ?? {}) as { readonly fieldRef?: { readonly fieldPath?: string } }
    const given = valueFrom === undefined ? expand(value ?? "", environment) : fieldOf(pod, fieldRef?.fieldPath ?? "")
    environment.set(name, given)
  }
  return environment
}

/** Returns how a command ends in a container, if its words and the container's environment alone decide that. */
const endIn = (pod: Pod, container: Container, command: ReadonlyArray<string>): ContainerEnd | undefined => {
  if (command.length === 0) return undefined
  const environment = environmentOf(pod, container)
  const argv: Array<string> = []
  for (const word of command) {
    const expanded = expand(word, environment)
    if (expanded === undefined) return undefined
    argv.push(expanded)
  }
  const end = programEnd(argv, environment)
  return end === undefined ? undefined : { afterMs: end.afterMs, exitCode: end.status }
}

/**
 * Returns how the command of a container ends, if it is known, as that of `sleep 30` or `sh -c "exit 1"`; else
 * undefined. Without a command the image decides.
 */
export const commandEndOf = (pod: Pod, container: Container | undefined): ContainerEnd | undefined =>
  container?.command === undefined || container.command.length === 0
    ? undefined
    : endIn(pod, container, [...container.command, ...(container.args ?? [])])

const failing: ProbeOutcome = { passesFirst: false, changesAtMs: [] }
const probeKinds = ["startup", "readiness", "liveness"] as const

/** Returns the outcomes of probes whose commands are known to fail or to take too long; undefined if there are none. */
export const commandProbesOf = (pod: Pod, container: Container | undefined): ProbeOutcomes | undefined => {
  let outcomes: ProbeOutcomes | undefined
  for (const kind of container === undefined ? [] : probeKinds) {
    const probe = container?.[`${kind}Probe`]
    const command = probe?.exec?.command
    const end = container === undefined || command === undefined ? undefined : endIn(pod, container, command)
    if (end === undefined || (end.exitCode === 0 && end.afterMs < (probe?.timeoutSeconds ?? 1) * 1000)) continue
    outcomes = { ...outcomes, [kind]: failing }
  }
  return outcomes
}
