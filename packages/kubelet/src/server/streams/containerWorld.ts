import type { Container, Pod, PodStatus } from "@rollcall/api"
import { environmentOf, fieldOf, type KnownValues } from "../../runtime/command/environment.ts"
import type { Environment, ShellWorld } from "../../runtime/command/ShellWorld.ts"
import { ContainerFiles } from "./ContainerFiles.ts"
import { type ReferencedTexts, referenceOf, sourcesOf } from "./References.ts"

/** A container with what its kubelet knows of it. */
export interface KnownContainer {
  readonly pod: Pod
  readonly status: PodStatus
  readonly container: Partial<Container>
  readonly texts: ReferencedTexts
}

type Item = { readonly key?: string; readonly path?: string; readonly fieldRef?: { readonly fieldPath?: string } }
type Source = Readonly<Record<string, unknown>> & { readonly prefix?: string }

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const HOSTNAME_LENGTH = 63

/** Returns the hostname in a pod, which is cut to what a kernel takes. Upstream: pkg/kubelet/kubelet_pods.go. */
const hostnameOf = ({ metadata, spec }: Pod): string => {
  if (spec.hostNetwork === true) return spec.nodeName ?? ""
  const name = spec.hostnameOverride ?? spec.hostname ?? metadata.name ?? ""
  return name.length > HOSTNAME_LENGTH ? name.slice(0, HOSTNAME_LENGTH).replace(/[-.]+$/, "") : name
}

const statusField = ({ hostIP, hostIPs, podIP, podIPs }: PodStatus, path: string): string | undefined => {
  const all: Readonly<Record<string, string | undefined>> = {
    "status.podIP": podIP,
    "status.hostIP": hostIP,
    "status.podIPs": podIPs?.map(({ ip }) => ip).join(","),
    "status.hostIPs": hostIPs?.map(({ ip }) => ip).join(",")
  }
  return all[path]
}

const anyField = ({ pod, status }: KnownContainer, path: string): string | undefined =>
  path === "spec.serviceAccountName"
    ? pod.spec.serviceAccountName
    : (fieldOf(pod, path) ?? statusField(status, path) ?? mapField(pod, path))

/** Returns labels or annotations as a file of the downward API shows them. */
const mapField = ({ metadata }: Pod, path: string): string | undefined => {
  const map =
    path === "metadata.labels" ? metadata.labels : path === "metadata.annotations" ? metadata.annotations : undefined
  return map === undefined
    ? undefined
    : Object.entries(map)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .toSorted()
        .join("\n")
}

const valuesOf = (known: KnownContainer): KnownValues => {
  const base = new Map([
    ["PATH", PATH],
    ["HOSTNAME", hostnameOf(known.pod)],
    ["HOME", "/root"]
  ])
  for (const source of (known.container.envFrom ?? []) as ReadonlyArray<Source>) {
    for (const [name, value] of Object.entries(known.texts.get(referenceOf(source) ?? "") ?? {})) {
      base.set(`${source.prefix ?? ""}${name}`, value)
    }
  }
  return {
    base,
    valueFrom: (given) => {
      const { configMapKeyRef, fieldRef, secretKeyRef } = given as Source
      if (fieldRef !== undefined) return anyField(known, (fieldRef as { fieldPath?: string }).fieldPath ?? "")
      const { key = "" } = (configMapKeyRef ?? secretKeyRef ?? {}) as Item
      return known.texts.get(referenceOf(given as Source) ?? "")?.[key]
    }
  }
}

/** Returns the variables of a container as a command in it finds them. */
export const knownEnvironment = (known: KnownContainer): Environment => {
  const environment = environmentOf(known.pod, known.container, valuesOf(known))
  return new Map(Array.from(environment).filter(([, value]) => value !== undefined))
}

/** The files of a source of a volume, by their path in it. */
const filesOfSource = (known: KnownContainer, source: Source): ReadonlyArray<readonly [path: string, text: string]> => {
  const { configMap, downwardAPI, secret, serviceAccountToken } = source
  if (serviceAccountToken !== undefined) {
    const { path = "token" } = serviceAccountToken as Item
    return [[path, "a modelled container has no token of its service account\n"]]
  }
  const { items } = (configMap ?? secret ?? downwardAPI ?? {}) as { readonly items?: ReadonlyArray<Item> }
  if (downwardAPI !== undefined) {
    return (items ?? []).map(({ fieldRef, path = "" }) => [path, anyField(known, fieldRef?.fieldPath ?? "") ?? ""])
  }
  const texts = known.texts.get(referenceOf(source) ?? "") ?? {}
  if (items === undefined || items === null) return Object.entries(texts)
  return items.flatMap(({ key = "", path = "" }) => (texts[key] === undefined ? [] : [[path, texts[key]] as const]))
}

/** Returns the files of a container: those of its volumes, and a few of its machine. */
export const filesOf = (known: KnownContainer, written: Map<string, string>): ContainerFiles => {
  const { container, pod, status } = known
  const files = new ContainerFiles(written)
  const hostname = hostnameOf(pod)
  files.add("/etc/hostname", `${hostname}\n`)
  files.add("/etc/hosts", `127.0.0.1\tlocalhost\n${status.podIP ?? "127.0.0.1"}\t${hostname}\n`)
  for (const { mountPath, name, readOnly, subPath } of container.volumeMounts ?? []) {
    const volume = (pod.spec.volumes ?? []).find((each) => each.name === name)
    if (volume === undefined) continue
    const sources = sourcesOf(volume)
    const isGenerated = "projected" in volume || "configMap" in volume || "secret" in volume || "downwardAPI" in volume
    const entries = isGenerated ? sources.flatMap((source) => filesOfSource(known, source)) : []
    const single = subPath === undefined ? undefined : entries.find(([path]) => path === subPath)
    if (single !== undefined) {
      files.add(mountPath, single[1])
      continue
    }
    for (const [path, text] of entries) files.add(`${mountPath}/${path}`, text)
    files.addFolder(mountPath, isGenerated || readOnly === true)
  }
  return files
}

/** Returns the world of a command that begins in a container now, or began with it. */
export const worldOf = (
  known: KnownContainer,
  files: ContainerFiles,
  startMs: number,
  hasTerminal: boolean
): ShellWorld => {
  const { securityContext } = known.container as { readonly securityContext?: { readonly runAsUser?: number } }
  const ofPod = known.pod.spec.securityContext as { readonly runAsUser?: number } | undefined
  return {
    hostname: hostnameOf(known.pod),
    startMs,
    files,
    user: Number(securityContext?.runAsUser ?? ofPod?.runAsUser ?? 0),
    hasTerminal
  }
}
