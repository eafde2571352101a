import type { Container, Pod, PodSecurityContext, PodStatus, ResourceList } from "@rollcall/api"
import { fnv1a, rngOf } from "@rollcall/time"
import type { Source } from "../../references/Reference.ts"
import type { ContainerFiles } from "../../runtime/command/ContainerFiles.ts"
import {
  environmentOf,
  fieldOf,
  groupsOfImage,
  type KnownValues,
  keepsBraces,
  userOfImage
} from "../../runtime/command/environment.ts"
import type { Environment, ShellWorld } from "../../runtime/command/ShellWorld.ts"
import { type Referenced, referenceOf } from "./References.ts"
import { type ResourceField, resourceFieldOf } from "./resourceField.ts"
import { serviceVariables } from "./serviceVariables.ts"

/** A container with what its kubelet knows of it. */
export interface KnownContainer {
  readonly pod: Pod
  readonly status: PodStatus
  readonly container: Partial<Container>
  readonly referenced: Referenced
  /** Its variables with `fileKeyRef`. */
  readonly fileVariables: ReadonlyMap<string, string>
  /** What its node gives to pods, and what it has. */
  readonly allocatable: ResourceList
  readonly capacity: ResourceList
}

/** What a variable or a file shows. */
export interface Item {
  readonly key?: string
  readonly path?: string
  readonly fieldRef?: { readonly fieldPath?: string }
  readonly resourceFieldRef?: ResourceField
  readonly mode?: number
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const HOSTNAME_LENGTH = 63

const CLUSTER_DOMAIN = "cluster.local"

/** The name of a pod for itself, and the domain that it is in: empty without a subdomain. */
export interface PodNames {
  readonly hostname: string
  readonly domain: string
}

/** Returns the names of a pod; the hostname is cut to what a kernel takes. Upstream: kubelet_pods.go, GeneratePodHostNameAndDomain. */
export const podNamesOf = ({ metadata, spec }: Pod): PodNames => {
  const { hostname: given, hostnameOverride, subdomain = "" } = spec
  const name = hostnameOverride ?? (given || metadata.name) ?? ""
  const hostname = name.length > HOSTNAME_LENGTH ? name.slice(0, HOSTNAME_LENGTH).replace(/[-.]+$/, "") : name
  const isInDomain = hostnameOverride === undefined && subdomain !== ""
  return { hostname, domain: isInDomain ? `${subdomain}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}` : "" }
}

/** Returns the hostname in a pod: with its domain, if the pod asks for that. Upstream: kuberuntime_sandbox.go, generatePodSandboxConfig. */
export const hostnameOf = (pod: Pod): string => {
  const { spec } = pod
  if (spec.hostNetwork === true) return spec.nodeName ?? ""
  const { domain, hostname } = podNamesOf(pod)
  return domain !== "" && spec.setHostnameAsFQDN === true ? `${hostname}.${domain}` : hostname
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

/** Returns the value of a field of the pod or of a resource of a container; undefined if there is none. */
export const anyFieldOf = (known: KnownContainer, { fieldRef, resourceFieldRef }: Item): string | undefined =>
  resourceFieldRef === undefined
    ? anyField(known, fieldRef?.fieldPath ?? "")
    : resourceFieldOf(known.pod, known.container, resourceFieldRef, known.allocatable)

const valuesOf = (known: KnownContainer): KnownValues => {
  const { services, startTexts: texts } = known.referenced
  const base = new Map([
    ["PATH", PATH],
    ["HOSTNAME", hostnameOf(known.pod)],
    ["HOME", "/root"],
    ...serviceVariables(services)
  ])
  for (const source of (known.container.envFrom ?? []) as ReadonlyArray<Source>) {
    for (const [name, value] of Object.entries(texts.get(referenceOf(source) ?? "") ?? {})) {
      base.set(`${source.prefix ?? ""}${name}`, value)
    }
  }
  return {
    base,
    valueFrom: (given, name) => {
      if ("fileKeyRef" in given) return known.fileVariables.get(name)
      const { configMapKeyRef, fieldRef, resourceFieldRef, secretKeyRef } = given as Source
      if ((fieldRef ?? resourceFieldRef) !== undefined) return anyFieldOf(known, given as Item)
      const { key = "" } = (configMapKeyRef ?? secretKeyRef ?? {}) as Item
      return texts.get(referenceOf(given as Source) ?? "")?.[key]
    }
  }
}

/** Returns the variables of a container; those whose values are not known, or that it does not have, have none. */
export const environmentWith = (known: KnownContainer): Environment =>
  environmentOf(known.pod, known.container, valuesOf(known))

/** Returns the variables of a container as a command in it finds them. */
export const knownEnvironment = (known: KnownContainer): Environment =>
  new Map(Array.from(environmentWith(known)).filter(([, value]) => value !== undefined))

/** Returns the user, the group and the further groups of the processes of a container. */
export const identityOf = ({ container, pod }: KnownContainer) => {
  const own = (container.securityContext ?? {}) as PodSecurityContext
  const { fsGroup, runAsGroup, runAsUser, supplementalGroups = [] } = pod.spec.securityContext ?? {}
  const user = own.runAsUser ?? runAsUser ?? userOfImage(container) ?? 0
  const [first = 0, ...ofImage] = groupsOfImage(container, user)
  const { supplementalGroupsPolicy } = (pod.spec.securityContext ?? {}) as {
    readonly supplementalGroupsPolicy?: string
  }
  const merged = supplementalGroupsPolicy === "Strict" ? [] : ofImage
  return {
    user,
    group: own.runAsGroup ?? runAsGroup ?? first,
    groups: [...(fsGroup === undefined ? [] : [fsGroup]), ...merged, ...supplementalGroups]
  }
}

/** Returns the world of a command that begins in a container now, or began with it. */
export const worldOf = (
  known: KnownContainer,
  files: ContainerFiles,
  startMs: number,
  hasTerminal: boolean
): ShellWorld => ({
  hostname: hostnameOf(known.pod),
  startMs,
  files,
  ...identityOf(known),
  hasTerminal,
  keepsBraces: keepsBraces(known.container),
  // A status, by which a log is read, has whole seconds.
  random: rngOf(fnv1a(`${known.pod.metadata.uid}/${known.container.name}/${Math.floor(startMs / 1000)}`))
})
