import {
  annotationConfigMirror,
  type Container,
  forbidden,
  groupResourceOf,
  type Pod,
  podReferences,
  projects,
  type ServiceAccount,
  type Status,
  type Volume,
  withServiceAccount
} from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionPlugin } from "../../core/admission/Admission.ts"
import { limitsSecrets, unmountableEphemeralSecret, unmountableSecret } from "./mountableSecrets.ts"

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
const VOLUME_PREFIX = "kube-api-access-"
/** The lifetime of mounted tokens: an hour, and seven seconds by which the token API recognizes them. */
const TOKEN_SECONDS = 3607

/**
 * Sets the service account of a new pod, mounts the account's token as a volume, and adds its pull secrets. Upstream:
 * plugin/pkg/admission/serviceaccount/admission.go.
 */
export const serviceAccountAdmission = {
  name: "ServiceAccount",
  admits: (kind, verb, subresource) =>
    kind === "Pod" && (subresource === undefined ? verb === "create" : subresource === "ephemeralcontainers"),
  mutate: (attributes, { makeName, reader }) => {
    if (attributes.verb !== "create") return Result.succeed(attributes.object)
    const pod = attributes.object as Pod
    const { namespace } = attributes
    const accountOf = (name: string) => reader.get("ServiceAccount", namespace, name)
    const admitted = withServiceAccount(pod, namespace, (name) => accountOf(name) !== undefined)
    if (Result.isFailure(admitted)) return Result.fail(refusal(attributes, admitted.failure))
    if (pod.metadata.annotations?.[annotationConfigMirror] !== undefined) return mirrorPod(attributes, pod)
    const account = accountOf(admitted.success.spec.serviceAccountName ?? "")
    if (account === undefined) return Result.succeed(admitted.success)
    const mounted = withPullSecrets(withToken(admitted.success, account, makeName), account)
    const unmountable = limitsSecrets(account) ? unmountableSecret(mounted, account) : undefined
    return unmountable === undefined ? Result.succeed(mounted) : Result.fail(refusal(attributes, unmountable))
  },
  validate: (attributes, { reader }) => {
    const pod = attributes.object as Pod
    const account = reader.get("ServiceAccount", attributes.namespace, pod.spec.serviceAccountName ?? "")
    if (account === undefined || !limitsSecrets(account)) return undefined
    const names = attributes.verb === "create" ? unmountableSecret : unmountableEphemeralSecret
    const unmountable = names(pod, account)
    return unmountable === undefined ? undefined : refusal(attributes, unmountable)
  }
} satisfies AdmissionPlugin

const refusal = ({ name, object, resource }: AdmissionAttributes, why: string): Status =>
  forbidden(groupResourceOf(resource), name || object?.metadata.name || object?.metadata.generateName || "Unknown", why)

/** Refuses a mirror pod that uses secrets or tokens; returns others unchanged. */
const mirrorPod = (attributes: AdmissionAttributes, pod: Pod): Result.Result<Pod, Status> => {
  if (podReferences(pod).secrets.size > 0)
    return Result.fail(refusal(attributes, "a mirror pod may not reference secrets"))
  return projects(pod, "serviceAccountToken")
    ? Result.fail(refusal(attributes, "a mirror pod may not use ServiceAccountToken volume projections"))
    : Result.succeed(pod)
}

/**
 * Mounts the account's token in every container without a mount at that path, unless the pod or its account disables
 * it.
 */
export const withToken = (pod: Pod, account: ServiceAccount, makeName: (base: string) => string): Pod => {
  const { spec } = pod
  if (!(spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)) return pod
  const present = spec.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX))?.name
  const name = present ?? makeName(VOLUME_PREFIX)
  const containers = spec.containers.map((container) => withMount(container, name))
  const initContainers = spec.initContainers?.map((container) => withMount(container, name))
  const unchanged =
    containers.every((container, index) => container === spec.containers[index]) &&
    (initContainers ?? []).every((container, index) => container === spec.initContainers?.[index])
  if (unchanged) return pod
  const volumes = present === undefined ? [...(spec.volumes ?? []), tokenVolume(name)] : (spec.volumes ?? [])
  return { ...pod, spec: { ...spec, volumes, containers, ...(initContainers === undefined ? {} : { initContainers }) } }
}

const withMount = (container: Container, name: string): Container => {
  const mounts = container.volumeMounts ?? []
  if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) return container
  return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }] }
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }]
        }
      }
    ]
  }
})

/** Adds the account's pull secrets to a pod without its own. */
const withPullSecrets = (pod: Pod, { imagePullSecrets = [] }: ServiceAccount): Pod =>
  imagePullSecrets.length === 0 || (pod.spec.imagePullSecrets ?? []).length > 0
    ? pod
    : { ...pod, spec: { ...pod.spec, imagePullSecrets } }
