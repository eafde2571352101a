/*
 * The fields of a pod that the checks read, all optional. Pods of the API, of @rollcall/api and of other clients have
 * them all.
 */

interface Profile {
  readonly type?: string
}

interface SELinuxOptions {
  readonly user?: string
  readonly role?: string
  readonly type?: string
}

interface SecurityContext {
  readonly runAsUser?: number
  readonly runAsNonRoot?: boolean
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: { readonly hostProcess?: boolean }
  readonly seccompProfile?: Profile
  readonly appArmorProfile?: Profile
}

export interface PodSecurityContext extends SecurityContext {
  readonly sysctls?: ReadonlyArray<{ readonly name?: string }>
}

export interface ContainerSecurityContext extends SecurityContext {
  readonly privileged?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: string
  readonly capabilities?: { readonly add?: ReadonlyArray<string>; readonly drop?: ReadonlyArray<string> }
}

/** An action of a probe or of a lifecycle hook. */
export interface Handler {
  readonly exec?: object
  readonly httpGet?: { readonly host?: string }
  readonly tcpSocket?: { readonly host?: string }
}

export interface Container {
  readonly name?: string
  readonly ports?: ReadonlyArray<{ readonly hostPort?: number }>
  readonly livenessProbe?: Handler
  readonly readinessProbe?: Handler
  readonly startupProbe?: Handler
  readonly lifecycle?: { readonly postStart?: Handler; readonly preStop?: Handler }
  readonly securityContext?: ContainerSecurityContext
}

/** A volume: its name, and its source under the source's own name. */
export interface Volume {
  readonly name?: string
}

/** The spec of a pod, or of the template of a workload. */
export interface PodSpec {
  readonly initContainers?: ReadonlyArray<Container>
  readonly containers?: ReadonlyArray<Container>
  readonly ephemeralContainers?: ReadonlyArray<Container>
  readonly volumes?: ReadonlyArray<Volume>
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean
  readonly os?: { readonly name?: string }
  readonly securityContext?: PodSecurityContext
}

/** The metadata of a pod, or of the template of a workload. */
export interface PodMetadata {
  readonly name?: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** Returns all containers: those that run first, those of the pod, and those added to debug it. */
export const containersOf = ({
  containers = [],
  ephemeralContainers = [],
  initContainers = []
}: PodSpec): ReadonlyArray<Container> => [...initContainers, ...containers, ...ephemeralContainers]

/** Whether the pod declares itself to be one of Windows. */
export const isWindows = ({ os }: PodSpec): boolean => os?.name === "windows"

/** Whether the pod has a user namespace of its own, in which root is not the node's root. */
export const hasUserNamespace = ({ hostUsers }: PodSpec): boolean => hostUsers === false
