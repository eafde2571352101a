// The handler of requests.

export { versionInfo } from "@rollcall/api"
export { type Handler, type HandlerOptions, makeHandler } from "./chain/makeHandler.ts"
export type { FeatureState } from "./root/FeatureState.ts"
export type { HealthCheck, HealthEndpoint } from "./root/HealthCheck.ts"
export type { ProcessMetrics } from "./root/rootPaths.ts"

// Its sockets.

export { type LocalApi, LocalApis, type LocalRequest, type LocalResource } from "./resources/localApi.ts"
export type { BodyLimits } from "./wire/bodyLimits.ts"
export { type ConnectionLimits, Connections } from "./wire/Connections.ts"
export { certificateProblem } from "./wire/certificateProblem.ts"
export type { DrainOptions } from "./wire/drainServer.ts"
export type { HttpRequest, HttpResponse } from "./wire/HttpPort.ts"
export { inRealTime } from "./wire/inRealTime.ts"
export {
  type ClientCertificate,
  type Listening,
  type ListenOptions,
  listen,
  type TlsOptions,
  verifiedCertificate
} from "./wire/listen.ts"
export { trackSecureConnections } from "./wire/trackSecureConnections.ts"
export type { UnsentLimits } from "./wire/Unsent.ts"
export { makeWireTimers } from "./wire/wireTimers.ts"

// The way to other components.

export {
  type ComponentHealth,
  notListening,
  type ProbeComponent,
  type ProbedComponent
} from "./resources/probeComponent.ts"

// The way to kubelets.

export {
  ADDRESS_NOT_ALLOWED,
  defaultAddressing,
  hostPort,
  type KubeletAddress,
  type KubeletAddressing,
  type KubeletAnswer,
  type KubeletReply,
  type KubeletRequest,
  KubeletTransport,
  type KubeletTransportShape,
  noKubelets,
  type RelayedAnswer
} from "./resources/proxy/KubeletTransport.ts"
export { isProxyable } from "./resources/proxy/proxyTarget.ts"
