import * as Schema from "effect/Schema"
import { list, Opaque, oneOf, opt } from "../internal/fields.ts"
import { IntOrString, ResourceList } from "./Scalars.ts"

/** The reserved amounts (requests) and the maximum amounts (limits) by resource name. */
export const ResourceRequirements = Schema.Struct({
  limits: opt(ResourceList),
  requests: opt(ResourceList),
  claims: opt(list(Schema.Struct({ name: Schema.String, request: opt(Schema.String) })))
})
export interface ResourceRequirements extends Schema.Schema.Type<typeof ResourceRequirements> {}

/** A port that a container listens on; a hostPort is also taken on the node. */
export const ContainerPort = Schema.Struct({
  name: opt(Schema.String),
  hostPort: opt(Schema.Int),
  containerPort: Schema.Int,
  protocol: opt(oneOf("TCP", "UDP", "SCTP")),
  hostIP: opt(Schema.String)
})
export interface ContainerPort extends Schema.Schema.Type<typeof ContainerPort> {}

/** An environment variable with a literal value or a source. */
export const EnvVar = Schema.Struct({ name: Schema.String, value: opt(Schema.String), valueFrom: opt(Opaque) })
export interface EnvVar extends Schema.Schema.Type<typeof EnvVar> {}

const handlers = {
  exec: opt(Schema.Struct({ command: opt(list(Schema.String)) })),
  httpGet: opt(
    Schema.Struct({
      path: opt(Schema.String),
      port: IntOrString,
      host: opt(Schema.String),
      scheme: opt(Schema.String),
      httpHeaders: opt(list(Schema.Struct({ name: Schema.String, value: Schema.String })))
    })
  ),
  tcpSocket: opt(Schema.Struct({ port: IntOrString, host: opt(Schema.String) }))
}

/** A probe of a container: a handler and its timing. */
export const Probe = Schema.Struct({
  ...handlers,
  grpc: opt(Schema.Struct({ port: Schema.Int, service: opt(Schema.String) })),
  initialDelaySeconds: opt(Schema.Int),
  timeoutSeconds: opt(Schema.Int),
  periodSeconds: opt(Schema.Int),
  successThreshold: opt(Schema.Int),
  failureThreshold: opt(Schema.Int),
  terminationGracePeriodSeconds: opt(Schema.Int)
})
export interface Probe extends Schema.Schema.Type<typeof Probe> {}

/** A handler that runs after a start or before a stop. */
export const LifecycleHandler = Schema.Struct({
  ...handlers,
  sleep: opt(Schema.Struct({ seconds: Schema.Int }))
})
export interface LifecycleHandler extends Schema.Schema.Type<typeof LifecycleHandler> {}

/** The lifecycle hooks of a container. */
export const Lifecycle = Schema.Struct({
  postStart: opt(LifecycleHandler),
  preStop: opt(LifecycleHandler),
  stopSignal: opt(Schema.String)
})
export interface Lifecycle extends Schema.Schema.Type<typeof Lifecycle> {}

/** The mount of a volume in a container. */
export const VolumeMount = Schema.Struct({
  name: Schema.String,
  readOnly: opt(Schema.Boolean),
  mountPath: Schema.String,
  subPath: opt(Schema.String),
  mountPropagation: opt(Schema.String),
  subPathExpr: opt(Schema.String),
  recursiveReadOnly: opt(Schema.String)
})
export interface VolumeMount extends Schema.Schema.Type<typeof VolumeMount> {}

/** A restart rule by exit code. KEP-5307. */
export const ContainerRestartRule = Schema.Struct({
  action: oneOf("Restart", "RestartAllContainers"),
  exitCodes: opt(Schema.Struct({ operator: oneOf("In", "NotIn"), values: opt(list(Schema.Int)) }))
})
export interface ContainerRestartRule extends Schema.Schema.Type<typeof ContainerRestartRule> {}

const containerFields = {
  name: Schema.String,
  image: opt(Schema.String),
  command: opt(list(Schema.String)),
  args: opt(list(Schema.String)),
  workingDir: opt(Schema.String),
  ports: opt(list(ContainerPort)),
  envFrom: opt(list(Opaque)),
  env: opt(list(EnvVar)),
  resources: opt(ResourceRequirements),
  resizePolicy: opt(
    list(Schema.Struct({ resourceName: Schema.String, restartPolicy: oneOf("NotRequired", "RestartContainer") }))
  ),
  /**
   * The restart policy of a container. Without restart rules, only `Always` on an init container is allowed, which
   * makes it a sidecar.
   */
  restartPolicy: opt(oneOf("Always", "OnFailure", "Never")),
  restartPolicyRules: opt(list(ContainerRestartRule)),
  volumeMounts: opt(list(VolumeMount)),
  volumeDevices: opt(list(Schema.Struct({ name: Schema.String, devicePath: Schema.String }))),
  livenessProbe: opt(Probe),
  readinessProbe: opt(Probe),
  startupProbe: opt(Probe),
  lifecycle: opt(Lifecycle),
  terminationMessagePath: opt(Schema.String),
  terminationMessagePolicy: opt(oneOf("File", "FallbackToLogsOnError")),
  imagePullPolicy: opt(oneOf("Always", "IfNotPresent", "Never")),
  securityContext: opt(Opaque),
  stdin: opt(Schema.Boolean),
  stdinOnce: opt(Schema.Boolean),
  tty: opt(Schema.Boolean)
}

/** A container of a pod; in initContainers, one that runs before the others or, as a sidecar, next to them. */
export const Container = Schema.Struct(containerFields)
export interface Container extends Schema.Schema.Type<typeof Container> {}

/** A container added to a running pod for debugging. It has no resource requests. */
export const EphemeralContainer = Schema.Struct({ ...containerFields, targetContainerName: opt(Schema.String) })
export interface EphemeralContainer extends Schema.Schema.Type<typeof EphemeralContainer> {}
