export { type Handler, type HandlerOptions, makeHandler } from "./chain/makeHandler.ts"
export * from "./resources/proxy/KubeletTransport.ts"
export type { HealthCheck, HealthEndpoint } from "./root/health.ts"
export type { ProcessMetrics } from "./root/rootPaths.ts"
export { type VersionInfo, versionInfo } from "./root/version.ts"
export { type BodyLimits, defaultBodyLimits } from "./wire/BodyReader.ts"
export { type ConnectionLimits, defaultConnectionLimits } from "./wire/Connections.ts"
export { certificateProblem } from "./wire/certificateProblem.ts"
export type { HttpRequest, HttpResponse } from "./wire/HttpPort.ts"
export {
  type ClientCertificate,
  type Listening,
  type ListenOptions,
  listen,
  type TlsOptions,
  verifiedCertificate
} from "./wire/listen.ts"
export { defaultUnsentLimits, type UnsentLimits } from "./wire/Unsent.ts"
export { makeWireTimers } from "./wire/wireTimers.ts"
