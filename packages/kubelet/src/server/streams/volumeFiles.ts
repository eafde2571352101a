import { ephemeralClaimName, type Pod, type VolumeMount } from "@rollcall/api"
import { sysctlPath } from "../../admission/Sysctl.ts"
import { type Source, sourcesOf } from "../../references/Reference.ts"
import { type TokenSource, tokenKeyOf } from "../../references/TokenManager.ts"
import { ContainerFiles, type Mount, type Ownership, type Written } from "../../runtime/command/ContainerFiles.ts"
import { argvOf, filesOfImage, isKnownImage } from "../../runtime/command/environment.ts"
import type { Environment } from "../../runtime/command/ShellWorld.ts"
import { cgroupFilesOf, podCgroupFiles } from "./cgroupFiles.ts"
import { anyFieldOf, hostnameOf, type Item, type KnownContainer } from "./containerWorld.ts"
import { hostsFileOf, MACHINE_HOSTS } from "./hostsFile.ts"
import { processStatusOf } from "./processStatus.ts"
import { isOfPath, referenceOf, type Texts } from "./References.ts"

/** A file of a volume, by its path in it. */
interface VolumeFile {
  readonly path: string
  readonly text: string
  readonly ownership: Ownership
}

const DEFAULT_MODE = 0o644
/** What a volume's group may do with its files. Upstream: pkg/volume/volume_linux.go, roMask. */
const GROUP_READS = 0o440
/** A token that only its user reads. Upstream: pkg/volume/projected/projected.go. */
const TOKEN_MODE = 0o600

/** Returns the user of all containers, if they have the same. Upstream: pkg/volume/util, FsUserFrom. */
const commonUser = ({ containers, initContainers = [], securityContext }: Pod["spec"]): number | undefined => {
  const users = [...containers, ...initContainers].map(
    (container) =>
      (container.securityContext as { readonly runAsUser?: number } | undefined)?.runAsUser ??
      securityContext?.runAsUser
  )
  return users.every((user) => user === users[0]) ? users[0] : undefined
}

/** Returns the files of a source of a volume; the mode of a file is its own, or the volume's. */
const filesOfSource = (
  known: KnownContainer,
  source: Source,
  volumeMode: number,
  ofVolumes: Texts
): ReadonlyArray<VolumeFile> => {
  const { spec } = known.pod
  const group = spec.securityContext?.fsGroup
  const owned = (mode: number): Ownership => (group === undefined ? { mode } : { mode: mode | GROUP_READS, group })
  const { configMap, downwardAPI, secret, serviceAccountToken } = source
  if (serviceAccountToken !== undefined) {
    const { path = "token" } = serviceAccountToken as Item
    const user = commonUser(spec)
    const ownership = owned(user === undefined && group === undefined ? volumeMode : TOKEN_MODE)
    const text = known.referenced.tokens.get(tokenKeyOf(serviceAccountToken as TokenSource)) ?? ""
    return [{ path, text, ownership: user === undefined ? ownership : { ...ownership, user } }]
  }
  const { items } = (configMap ?? secret ?? downwardAPI ?? {}) as { readonly items?: ReadonlyArray<Item> | null }
  const texts = ofVolumes.get(referenceOf(source) ?? "") ?? {}
  const wanted = items ?? Object.keys(texts).map((key): Item => ({ key, path: key }))
  return wanted.flatMap((item) => {
    const text = downwardAPI === undefined ? texts[item.key ?? ""] : (anyFieldOf(known, item) ?? "")
    return text === undefined ? [] : [{ path: item.path ?? "", text, ownership: owned(item.mode ?? volumeMode) }]
  })
}

interface AnyVolume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: string }
  readonly ephemeral?: object
  readonly hostPath?: { readonly path?: string }
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

type Generated = { readonly defaultMode?: number } | undefined

/** Returns the files that the kubelet makes in a volume; undefined if it makes none. */
const generatedFiles = (known: KnownContainer, volume: object, texts: Texts): ReadonlyArray<VolumeFile> | undefined => {
  const { configMap, downwardAPI, projected, secret } = volume as Readonly<Record<string, Generated>>
  const generated = projected ?? configMap ?? secret ?? downwardAPI
  if (generated === undefined) return undefined
  return sourcesOf(volume).flatMap((source) =>
    filesOfSource(known, source, generated.defaultMode ?? DEFAULT_MODE, texts)
  )
}

/** Returns the files of a modelled machine below a path. */
const machineFiles = (path: string, known: KnownContainer): ReadonlyArray<VolumeFile> => {
  const etc = { "/etc/hosts": MACHINE_HOSTS, "/etc/hostname": `${known.pod.spec.nodeName}\n` }
  const root = path.replace(/\/$/, "")
  return Object.entries({ ...etc, ...podCgroupFiles(known) })
    .filter(([file]) => file === root || file.startsWith(`${root}/`))
    .map(([file, text]) => ({ path: file.slice(root.length + 1), text, ownership: { mode: DEFAULT_MODE } }))
}

const subPathOf = ({ subPath = "", subPathExpr }: VolumeMount, environment: Environment): string =>
  (subPathExpr === undefined ? subPath : (argvOf([subPathExpr], environment)?.[0] ?? "")).replace(/\/$/, "")

/** Returns where the files of a volume are kept that outlive a container; undefined if they do not. */
const keptOf = (pod: Pod, volume: AnyVolume, written: Written): Mount["kept"] => {
  const { emptyDir, ephemeral, hostPath, name, persistentVolumeClaim } = volume
  if (hostPath !== undefined) return { files: written.machine, folder: hostPath.path?.replace(/\/+$/, "") ?? "" }
  const claim =
    persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : ephemeralClaimName(pod, name))
  if (claim === undefined) return emptyDir === undefined ? undefined : { files: written.shared, folder: name }
  const files = written.ofClaim(`${pod.metadata.namespace}/${claim}`)
  return files === undefined ? { files: written.shared, folder: name } : { files, folder: "" }
}

/** Returns how the folder of a volume is mounted. */
const mountOf = (
  volume: AnyVolume,
  { mountPath, readOnly }: VolumeMount,
  isGenerated: boolean,
  group: number | undefined
): Omit<Mount, "kept"> => {
  const inMemory = volume.emptyDir?.medium === "Memory" || "secret" in volume || "projected" in volume
  const owned = group === undefined ? 0o777 : 0o2777
  const { hostPath } = volume
  if (hostPath !== undefined) {
    // The kubelet does not change who owns folders of its machine. Upstream: pkg/volume/hostpath.
    const mode = hostPath.path?.replace(/\/+$/, "") === "/tmp" ? 0o1777 : 0o755
    return { path: mountPath.replace(/(?<=.)\/+$/, ""), mode, fileSystem: "ext4", isReadOnly: readOnly === true }
  }
  return {
    path: mountPath.replace(/(?<=.)\/+$/, ""),
    // The root of a tmpfs is sticky.
    mode: inMemory ? owned | 0o1000 : owned,
    ...(group === undefined ? {} : { group }),
    fileSystem: inMemory ? "tmpfs" : "ext4",
    isReadOnly: isGenerated || readOnly === true
  }
}

/** The content of a file of an image. */
const NOT_MODELLED = "rollcall: the content of this file is not modelled\n"

/** Returns the files of a container: those of its volumes, and a few of its machine. `isUnread` says that no reference was read. */
export const filesOf = (
  known: KnownContainer,
  environment: Environment,
  written: Written,
  isUnread = false
): ContainerFiles => {
  const { container, pod, status } = known
  const security = container.securityContext as { readonly readOnlyRootFilesystem?: boolean } | undefined
  const files = new ContainerFiles(written.own, security?.readOnlyRootFilesystem === true)
  files.isImageKnown = isKnownImage(container)
  for (const path of filesOfImage(container)) files.addOfImage(path, NOT_MODELLED)
  files.add("/etc/hostname", `${hostnameOf(pod)}\n`)
  files.add("/etc/hosts", hostsFileOf(pod, status))
  for (const { name, value } of pod.spec.securityContext?.sysctls ?? []) files.add(sysctlPath(name), `${value}\n`)
  files.add("/proc/self/status", processStatusOf(known))
  for (const [path, text] of Object.entries(cgroupFilesOf(known))) files.add(path, text)
  for (const volumeMount of container.volumeMounts ?? []) {
    const volume: AnyVolume | undefined = (pod.spec.volumes ?? []).find(({ name }) => name === volumeMount.name)
    if (volume === undefined) continue
    const { startTexts, texts } = known.referenced
    const generated = generatedFiles(known, volume, isOfPath(volumeMount) ? startTexts : texts)
    const host = volume.hostPath?.path
    const subPath = subPathOf(volumeMount, environment)
    const mountPath = volumeMount.mountPath.replace(/(?<=.)\/+$/, "")
    for (const { ownership, path, text } of generated ?? (host === undefined ? [] : machineFiles(host, known))) {
      if (path === subPath) files.add(mountPath, text, ownership)
      else if (subPath === "") files.add(`${mountPath}/${path}`, text, ownership)
      else if (path.startsWith(`${subPath}/`)) files.add(mountPath + path.slice(subPath.length), text, ownership)
    }
    for (const other of container.volumeMounts ?? []) {
      // The kubelet makes the folder of a path in a volume, which other mounts of the volume show.
      const inside = other.name === volume.name && subPath === "" ? subPathOf(other, environment) : ""
      if (inside !== "" && generated === undefined) files.addFolder(`${mountPath}/${inside}`)
    }
    const kept = keptOf(pod, volume, written)
    files.mount({
      isUnknown: generated === undefined ? kept === undefined || host !== undefined : isUnread,
      ...mountOf(volume, volumeMount, generated !== undefined, pod.spec.securityContext?.fsGroup),
      ...(kept === undefined ? {} : { kept: subPath === "" ? kept : { ...kept, folder: `${kept.folder}/${subPath}` } })
    })
  }
  return files
}
