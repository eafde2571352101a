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

/** Returns equal text for equal values, regardless of the order of fields. */
const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const fields = sortedEntries(value)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join()}}`
}

/** Returns 32 hexadecimal digits that are derived from a text. */
const digestOf = (text: string): string =>
  [0, 1, 2, 3].map((part) => fnv1a(`${part} ${text}`).toString(16).padStart(8, "0")).join("")

const uidOf = ({ kind, pod, source }: StaticPodManifest, nodeName: string): string => {
  const place = kind === "file" ? `host:${nodeName} file:${source}` : `url:${source}`
  return digestOf(`${place} ${canonicalText(pod)}`)
}

const tolerateNoExecute: Toleration = { operator: "Exists", effect: "NoExecute" }

const withToleration = (tolerations: ReadonlyArray<Toleration> = []): ReadonlyArray<Toleration> =>
  tolerations.some(({ effect, key = "", operator }) => key === "" && effect === "NoExecute" && operator === "Exists")
    ? tolerations
    : [...tolerations, tolerateNoExecute]

const usesClaims = ({ spec }: Pod): boolean =>
  (spec.resourceClaims ?? []).length > 0 ||
  [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources }) => (resources?.claims ?? []).length > 0)

const usesTrustBundles = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some((volume) =>
    (volume.projected?.sources ?? []).some((source) => "clusterTrustBundle" in source && source.clusterTrustBundle)
  )

/**
 * Returns the pod of a manifest, or the error for which the kubelet refuses it. A uid that the manifest does not set is
 * derived from its content, so that a changed manifest is another pod. `seenAt` is when the node first saw it, in the
 * format of `metav1.Time`. Upstream: pkg/kubelet/config/common.go applyDefaults.
 */
export const staticPodOf = (
  manifest: StaticPodManifest,
  nodeName: string,
  seenAt: string
): Result.Result<Pod, string> => {
  const { kind, pod } = manifest
  const { metadata, spec } = pod
  const uid = metadata.uid === undefined || metadata.uid === "" ? uidOf(manifest, nodeName) : metadata.uid
  const staticPod = defaultPod({
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
        [annotationConfigSeen]: seenAt
      }
    },
    spec: {
      ...spec,
      nodeName,
      ...(kind === "file" ? { tolerations: withToleration(spec?.tolerations) } : {})
    },
    status: { phase: "Pending" }
  })
  const errors = validatePod(staticPod)
  if (errors.length > 0) return Result.fail(`invalid pod: ${fieldErrorsText(errors)}`)
  if (usesClaims(staticPod)) return Result.fail("invalid pod: static pods do not support ResourceClaims")
  if (usesTrustBundles(staticPod))
    return Result.fail("invalid pod: static pods do not support ClusterTrustBundle volumes")
  return Result.succeed(staticPod)
}

/**
 * Returns the mirror pod that a kubelet creates for a static pod. Upstream: pkg/kubelet/pod/mirror_client.go
 * CreateMirrorPod.
 */
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

/** Whether the mirror shows this version of the static pod: both have the hash of the same manifest. */
export const isMirrorOf = (mirror: Pod, { metadata }: Pod): boolean =>
  mirror.metadata.annotations?.[annotationConfigMirror] === metadata.annotations?.[annotationConfigHash]

export const isMirrorPod = ({ metadata }: Pod): boolean => metadata.annotations?.[annotationConfigMirror] !== undefined
