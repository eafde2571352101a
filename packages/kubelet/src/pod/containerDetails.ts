import type { Container, ContainerStatus, FeatureGates, Pod } from "@rollcall/api"
import { groupsOfImage, userOfImage } from "../runtime/command/environment.ts"
import type { Containers } from "./Containers.ts"

type DetailGates = Pick<FeatureGates, "RecursiveReadOnlyMounts" | "SupplementalGroupsPolicy">

type ContainerUser = NonNullable<ContainerStatus["user"]>

/** The fields of a security context that set a container's user. */
interface Identity {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly fsGroup?: number
  readonly supplementalGroups?: ReadonlyArray<number>
  readonly supplementalGroupsPolicy?: string
}

const ROOT: ContainerUser = { linux: { uid: 0, gid: 0, supplementalGroups: [0] } }

/**
 * Returns the user of a container, root if it is not known whom its image names. Its groups begin with the primary one, as containerd's do.
 * Upstream: pkg/kubelet/kuberuntime/security_context.go determineEffectiveSecurityContext.
 */
const userOf = (container: Container, spec: Pod["spec"]): ContainerUser => {
  const own: Identity = container.securityContext ?? {}
  const shared: Identity = spec.securityContext ?? {}
  const { fsGroup, supplementalGroups = [], supplementalGroupsPolicy } = shared
  const uid = own.runAsUser ?? shared.runAsUser ?? userOfImage(container) ?? 0
  const [first = 0, ...ofImage] = groupsOfImage(container, uid)
  const gid = own.runAsGroup ?? shared.runAsGroup ?? first
  if (uid === 0 && gid === 0 && fsGroup === undefined && supplementalGroups.length === 0) return ROOT
  const merged = supplementalGroupsPolicy === "Strict" ? [] : ofImage
  const groups = [gid, ...(fsGroup === undefined ? [] : [fsGroup]), ...merged, ...supplementalGroups]
  return { linux: { uid, gid, supplementalGroups: groups } }
}

type Mount = NonNullable<Container["volumeMounts"]>[number]

/** A runtime of which the Node reports no handler with recursive read-only mounts has none. */
const mountOf = ({ mountPath, name, readOnly }: Mount) =>
  readOnly === true ? { name, mountPath, readOnly, recursiveReadOnly: "Disabled" } : { name, mountPath }

const withDetails = (
  status: ContainerStatus,
  container: Container | undefined,
  { spec }: Pod,
  gates: DetailGates
): ContainerStatus => {
  if (container?.name !== status.name) return status
  const { volumeMounts = [] } = container
  const user = gates.SupplementalGroupsPolicy && status.containerID !== undefined && status.user === undefined
  const mounts = gates.RecursiveReadOnlyMounts && volumeMounts.length > 0 && status.volumeMounts === undefined
  if (!user && !mounts) return status
  return {
    ...status,
    ...(user ? { user: userOf(container, spec) } : {}),
    ...(mounts ? { volumeMounts: volumeMounts.map(mountOf) } : {})
  }
}

/**
 * Returns the statuses with what containers have from their spec: volume mounts from the first status on, and once they
 * have run the user. Upstream: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses.
 */
export const withContainerDetails = (containers: Containers, pod: Pod, gates: DetailGates): Containers => {
  const { ephemeral, init, regular } = containers
  const { spec } = pod
  return {
    init: init.map((each, index) => withDetails(each, spec.initContainers?.[index], pod, gates)),
    regular: regular.map((each, index) => withDetails(each, spec.containers[index], pod, gates)),
    ...(ephemeral === undefined
      ? {}
      : { ephemeral: ephemeral.map((each, index) => withDetails(each, spec.ephemeralContainers?.[index], pod, gates)) })
  }
}
