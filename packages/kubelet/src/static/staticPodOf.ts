import {
  annotationConfigHash,
  annotationConfigMirror,
  annotationConfigSeen,
  annotationConfigSource,
  defaultNamespace,
  defaultPod,
  type Pod,
  sortedEntries,
  type Toleration
} from "@rollcall/api"
import { fieldErrorsText, validatePod } from "@rollcall/api/validation"
import { fnv1a } from "@rollcall/time"
import * as Result from "effect/Result"
import type { StaticPodManifest } from "./StaticPodManifest.ts"

/** Equal text for equal values, in whatever order fields were written. */
const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const fields = sortedEntries(value)
  return `{${fields.map(([name, held]) => `${JSON.stringify(name)}:${canonicalText(held)}`).join()}}`
}

/** 32 hexadecimal digits derived from a text. */
const digestOf = (text: string): string =>
  [0, 1, 2, 3].map((part) => fnv1a(`${part} ${text}`).toString(16).padStart(8, "0")).join("")

const uidOf = ({ kind, pod, source }: StaticPodManifest, nodeName: string): string => {
  const place = kind === "file" ? `host:${nodeName} file:${source}` : `url:${source}`
  return digestOf(`${place} ${canonicalText(pod)}`)
}

const toleratesAll: Toleration = { operator: "Exists", effect: "NoExecute" }

const withToleration = (tolerations: ReadonlyArray<Toleration> = []): ReadonlyArray<Toleration> =>
  tolerations.some(({ effect, key = "", operator }) => key === "" && effect === "NoExecute" && operator === "Exists")
    ? tolerations
    : [...tolerations, toleratesAll]

const usesClaims = ({ spec }: Pod): boolean =>
  (spec.resourceClaims ?? []).length > 0 ||
  [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources }) => (resources?.claims ?? []).length > 0)

const usesTrustBundles = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some((volume) =>
    (volume.projected?.sources ?? []).some((source) => "clusterTrustBundle" in source && source.clusterTrustBundle)
  )

/**
 * The pod of a manifest, or why it is refused. Its uid is derived from the content, so that a changed manifest is
 * another pod. `seen`: when the node first saw it. Upstream: pkg/kubelet/config/common.go applyDefaults.
 */
export const staticPodOf = (
  manifest: StaticPodManifest,
  nodeName: string,
  seen: string
): Result.Result<Pod, string> => {
  const { kind, pod } = manifest
  const { metadata, spec } = pod
  const uid = metadata.uid === undefined || metadata.uid === "" ? uidOf(manifest, nodeName) : metadata.uid
  const made = defaultPod({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: `${metadata.name ?? ""}-${nodeName.toLowerCase()}`,
      namespace: metadata.namespace === undefined || metadata.namespace === "" ? defaultNamespace : metadata.namespace,
      uid,
      annotations: {
        ...metadata.annotations,
        [annotationConfigHash]: uid,
        [annotationConfigSource]: kind,
        [annotationConfigSeen]: seen
      }
    },
    spec: {
      ...spec,
      nodeName,
      ...(kind === "file" ? { tolerations: withToleration(spec?.tolerations) } : {})
    },
    status: { phase: "Pending" }
  })
  const errors = validatePod(made)
  if (errors.length > 0) return Result.fail(`invalid pod: ${fieldErrorsText(errors)}`)
  if (usesClaims(made)) return Result.fail("invalid pod: static pods do not support ResourceClaims")
  if (usesTrustBundles(made)) return Result.fail("invalid pod: static pods do not support ClusterTrustBundle volumes")
  return Result.succeed(made)
}

/** The mirror pod of a static pod. Upstream: pkg/kubelet/pod/mirror_client.go CreateMirrorPod. */
export const mirrorOf = ({ metadata, spec }: Pod, nodeName: string, nodeUid: string): Pod => {
  const { annotations, labels, name = "", namespace = "" } = metadata
  const hash = annotations?.[annotationConfigHash] ?? ""
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [annotationConfigMirror]: hash },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: nodeName, uid: nodeUid, controller: true }]
    },
    spec
  }
}

/** Whether the mirror shows this pod. */
export const mirrors = (mirror: Pod, { metadata }: Pod): boolean =>
  mirror.metadata.annotations?.[annotationConfigMirror] === metadata.annotations?.[annotationConfigHash]

export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[annotationConfigMirror] !== undefined
